import { useEffect, useRef } from "react";
import { type Actions, actionOf, isTyping } from "./keys";

interface Shortcuts extends Actions {
  /** What is chosen, as a text; "" is nothing. */
  copy: () => string;
  /** Takes a text from the clipboard and reports whether it could. */
  paste: (text: string) => boolean;
}

/** Listens to the keys and to the clipboard while the editor is open. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      const action = actionOf(e, isTyping(e.target));
      if (action) {
        e.preventDefault();
        latest.current[action]();
      }
    };
    const onCopy = (e: ClipboardEvent) => {
      const isText = isTyping(e.target) || getSelection()?.isCollapsed === false;
      const text = isText ? "" : latest.current.copy();
      if (text) {
        e.clipboardData?.setData("text/plain", text);
        e.preventDefault();
        if (e.type === "cut") {
          latest.current.remove();
        }
      }
    };
    const onPaste = (e: ClipboardEvent) => {
      if (!isTyping(e.target) && latest.current.paste(e.clipboardData?.getData("text/plain") ?? "")) {
        e.preventDefault();
      }
    };
    document.addEventListener("keydown", onKey);
    document.addEventListener("copy", onCopy);
    document.addEventListener("cut", onCopy);
    document.addEventListener("paste", onPaste);
    return () => {
      document.removeEventListener("keydown", onKey);
      document.removeEventListener("copy", onCopy);
      document.removeEventListener("cut", onCopy);
      document.removeEventListener("paste", onPaste);
    };
  }, []);
}
