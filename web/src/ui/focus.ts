import { type RefObject, useEffect } from "react";

const focusable = "a[href], button:not(:disabled), input:not(:disabled), select, textarea, [tabindex='0']";

/**
 * Moves the focus into what opens, and back to where it was when that closes.
 * A page that begins with it open leaves the focus alone: nobody asked for it.
 * `first` selects what in it gets the focus; with none in it the place itself does, which needs a tabIndex then.
 */
export function useFocusInside(open: boolean, place: RefObject<HTMLElement | null>, first = focusable): void {
  useEffect(() => {
    const before = document.activeElement;
    const here = place.current;
    if (!open || !here || !(before instanceof HTMLElement) || before === document.body) {
      return;
    }
    if (!here.contains(before)) {
      (here.querySelector<HTMLElement>(first) ?? here).focus();
    }
    return () => {
      const now = document.activeElement;
      if (!now || now === document.body || here.contains(now)) {
        before.focus();
      }
    };
  }, [open, place, first]);
}
