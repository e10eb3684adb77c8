import { type RefObject, useEffect, useRef } from "react";

/** When something closes, the focus goes back to the first control of where it was opened. */
export function useReturnFocus(open: boolean, place: RefObject<HTMLElement | null>): void {
  const was = useRef(open);
  useEffect(() => {
    if (was.current && !open) {
      place.current?.querySelector<HTMLElement>("a, button")?.focus();
    }
    was.current = open;
  }, [open, place]);
}
