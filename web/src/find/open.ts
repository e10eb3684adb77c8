import { useSyncExternalStore } from "react";

type Listener = () => void;
type Dialog = "" | "palette" | "help";

let dialog: Dialog = "";
const dialogListeners = new Set<Listener>();
/** Those who can be asked to find something in the chat that is open. */
const bars = new Set<Listener>();

function show(next: Dialog): void {
  dialog = next;
  for (const fn of dialogListeners) {
    fn();
  }
}

export const openPalette = () => show("palette");
export const openHelp = () => show("help");
export const closeDialog = () => show("");

const subscribe = (fn: Listener) => {
  dialogListeners.add(fn);
  return () => dialogListeners.delete(fn);
};

/** The dialog that is open, "" for none. */
export const useDialog = () => useSyncExternalStore(subscribe, () => dialog);

/** Opens the bar of the chat that is open, and reports whether there is one. */
export function openBar(): boolean {
  for (const fn of bars) {
    fn();
  }
  return bars.size > 0;
}

/** Makes a bar one that can be opened. */
export function offerBar(fn: Listener): () => void {
  bars.add(fn);
  return () => bars.delete(fn);
}
