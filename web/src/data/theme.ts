import { loadTheme, saveTheme, type Theme } from "./settings";

type Listener = () => void;

const order: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const listeners = new Set<Listener>();

export const nextTheme = (theme: Theme): Theme => order[theme];

/** Goes on to the next theme. */
export function changeTheme(): void {
  saveTheme(nextTheme(loadTheme()));
  for (const fn of listeners) {
    fn();
  }
}

export function subscribeTheme(fn: Listener): () => void {
  listeners.add(fn);
  return () => listeners.delete(fn);
}
