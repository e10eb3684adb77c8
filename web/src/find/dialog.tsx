import { type ReactNode, useLayoutEffect, useRef } from "react";
import { closeDialog } from "./open";

/** Something above the page. The browser keeps the focus in it and closes it on Escape; then who had the focus before has it again. */
export function Dialog({ label, children }: { label: string; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const [el, before] = [dialog.current, document.activeElement];
    el?.showModal();
    return () => {
      el?.close();
      if (before instanceof HTMLElement) {
        before.blur(); // Chromium gives the focus back to a field without a caret, which takes no text
        before.focus();
      }
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it
    <dialog
      ref={dialog}
      aria-label={label}
      onClose={() => dialog.current && closeDialog()} // not one that is gone by then
      onClick={(e) => {
        if (e.target === dialog.current) {
          dialog.current.close(); // a press beside it
        }
      }}
      className="mx-auto mt-[12vh] w-[min(40rem,calc(100vw-1.5rem))] overflow-hidden rounded-xl border border-line bg-raised p-0 text-ink shadow-2xl backdrop:bg-black/40 max-md:mt-3"
    >
      {children}
    </dialog>
  );
}
