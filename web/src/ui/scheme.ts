import { useSyncExternalStore } from "react";

const system = globalThis.matchMedia?.("(prefers-color-scheme: dark)"); // unit tests have no browser

function subscribe(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  system.addEventListener("change", changed);
  return () => {
    observer.disconnect();
    system.removeEventListener("change", changed);
  };
}

/** Differs whenever the colours do: for what is painted rather than styled. */
export const useScheme = (): string =>
  useSyncExternalStore(subscribe, () => `${document.documentElement.dataset.theme} ${system.matches}`);

/** Whether the page is dark now. */
export function isDark(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme === "dark" || (theme !== "light" && system.matches);
}
