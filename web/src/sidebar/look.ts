import { useSyncExternalStore } from "react";
import { loadSidebar, type SidebarLook, saveSidebar } from "../data/settings";

type Listener = () => void;

let look: SidebarLook | undefined;
const listeners = new Set<Listener>();

const subscribe = (fn: Listener) => {
  listeners.add(fn);
  return () => listeners.delete(fn);
};

const get = () => {
  look ??= loadSidebar();
  return look;
};

/** Changes how the side bar looks, and keeps it. */
export function setLook(change: (look: SidebarLook) => SidebarLook): void {
  look = change(get());
  saveSidebar(look);
  for (const fn of listeners) {
    fn();
  }
}

/** How the side bar looks. */
export const useLook = () => [useSyncExternalStore(subscribe, get), setLook] as const;
