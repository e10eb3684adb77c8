import { useState } from "react";

/** What a person opened or folded. Rows leave the page when one scrolls, and come back as they were. */
const chosen = new Map<string, boolean>();

export const isOpened = (id: string) => chosen.get(id) === true;

/** Whether something is open: as the person left it, else as it is by itself. */
export function useOpened(id: string, byItself = false): [open: boolean, toggle: () => void] {
  const [, draw] = useState(0);
  const open = chosen.get(id) ?? byItself;
  const toggle = () => {
    chosen.set(id, !open);
    draw((n) => n + 1);
  };
  return [open, toggle];
}
