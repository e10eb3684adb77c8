/** What the keys do while nobody types into a field. */
export interface Actions {
  undo: () => void;
  redo: () => void;
  save: () => void;
  remove: () => void;
  selectAll: () => void;
  fit: () => void;
}

interface Pressed {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
}

/** The action of a key, undefined if it has none. Saving goes from everywhere. */
export function actionOf(e: Pressed, isTyping: boolean): keyof Actions | undefined {
  const key = e.key.toLowerCase();
  const isCommand = e.ctrlKey || e.metaKey;
  if (e.altKey) {
    return undefined;
  }
  if (isCommand && key === "s") {
    return "save";
  }
  if (isTyping) {
    return undefined;
  }
  if (isCommand) {
    switch (key) {
      case "z":
        return e.shiftKey ? "redo" : "undo";
      case "y":
        return "redo";
      case "a":
        return "selectAll";
      default:
        return undefined;
    }
  }
  switch (key) {
    case "delete":
    case "backspace":
      return "remove";
    case "f":
      return "fit";
    default:
      return undefined;
  }
}

export const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null;
