import { type KeyboardEvent, type RefObject, useCallback } from "react";

/** Arrow keys, or j and k, move between the steps; Home and End go to the first and last. */
export function useStepKeys(area: RefObject<HTMLElement | null>) {
  return useCallback(
    (e: KeyboardEvent) => {
      const target = e.target as HTMLElement;
      if (target.closest("input, textarea, select, pre") || e.altKey || e.ctrlKey || e.metaKey) {
        return;
      }
      const steps = [...(area.current?.querySelectorAll<HTMLElement>("[data-step]") ?? [])];
      const at = steps.findIndex((s) => s.contains(target));
      const to = { ArrowDown: at + 1, j: at + 1, ArrowUp: at - 1, k: at - 1, Home: 0, End: steps.length - 1 }[
        e.key
      ];
      const next = to === undefined ? undefined : steps[Math.max(0, Math.min(to, steps.length - 1))];
      if (next) {
        e.preventDefault();
        next.focus({ preventScroll: true });
        next.scrollIntoView({ block: "nearest" });
      }
    },
    [area],
  );
}
