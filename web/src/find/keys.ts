import { words } from "../words";

const say = words.find.keys;

/** What a key does, wherever one is. */
export type Command = "palette" | "find" | "write" | "help" | "newChat" | "collapse";

interface Key {
  /** How it is pressed. Mod is Ctrl, and ⌘ on a Mac. */
  press: string;
  says: string;
  /** What the page does about it. Keys without one are those of a part of the page, which listens itself. */
  command?: Command;
  /** Whether it also works while somebody types. */
  whileTyping?: boolean;
}

/** All keys: what is listened to, and what the help shows. */
export const keys: readonly Key[] = [
  { press: "Mod+K", says: say.palette, command: "palette", whileTyping: true },
  { press: "Mod+F", says: say.find, command: "find", whileTyping: true },
  { press: "Mod+Shift+O", says: say.newChat, command: "newChat", whileTyping: true },
  { press: "Mod+B", says: say.collapse, command: "collapse" },
  { press: "/", says: say.write, command: "write" },
  { press: "?", says: say.help, command: "help" },
  { press: "Escape", says: say.escape },
  { press: "↑ ↓", says: say.walk },
  { press: "← →", says: say.fold },
  { press: "Enter", says: say.send },
  { press: "J K", says: say.steps },
];

interface Pressed {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
}

/** The command of what was pressed, if it has one. */
export function commandOf(e: Pressed, isTyping: boolean): Command | undefined {
  if (e.altKey) {
    return undefined;
  }
  const mod = e.ctrlKey || e.metaKey;
  return keys.find(({ press, command, whileTyping }) => {
    const parts = press.split("+");
    const key = parts.at(-1) ?? "";
    const isLetter = /^[A-Z]$/.test(key);
    return (
      command !== undefined &&
      (whileTyping || !isTyping) &&
      mod === parts.includes("Mod") &&
      (!isLetter || e.shiftKey === parts.includes("Shift")) && // signs need Shift on some keyboards only
      e.key.toUpperCase() === key.toUpperCase()
    );
  })?.command;
}

const isMac = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "");

/** How a key is written where the person is. */
export const written = (press: string): string =>
  isMac ? press.replace("Mod+", "⌘").replace("Shift+", "⇧") : press.replace("Mod", "Ctrl");

export const shown = (command: Command): string =>
  written(keys.find((k) => k.command === command)?.press ?? "");

/** Whether what has the focus is typed into. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]") !== null;
