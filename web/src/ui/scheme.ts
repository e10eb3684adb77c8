import { useSyncExternalStore } from "react";

const system = matchMedia("(prefers-color-scheme: dark)");

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
