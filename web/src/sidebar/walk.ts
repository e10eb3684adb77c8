import { type KeyboardEvent, type RefObject, useCallback, useLayoutEffect } from "react";

/**
 * Arrow keys walk through the rows of a list, of which one is in the order of Tab: the current one, or the
 * first in sight. Left and Right hide and show what is below a row.
 */
export function useWalk(area: RefObject<HTMLElement | null>) {
  const rows = useCallback(
    () => [...(area.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])],
    [area],
  );
  useLayoutEffect(() => {
    const all = rows();
    const one =
      all.find((r) => r === document.activeElement) ?? all.find((r) => r.ariaCurrent === "page") ?? all[0];
    for (const row of all) {
      row.tabIndex = row === one ? 0 : -1;
    }
  });
  return useCallback(
    (e: KeyboardEvent) => {
      const row = (e.target as HTMLElement).closest<HTMLElement>("[data-row]");
      if (!row || e.altKey || e.ctrlKey || e.metaKey || e.shiftKey) {
        return;
      }
      const all = rows();
      const at = all.indexOf(row);
      const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[e.key];
      const next = to === undefined ? undefined : all[to];
      if (next) {
        e.preventDefault();
        row.tabIndex = -1;
        next.tabIndex = 0;
        next.focus({ preventScroll: true });
        next.scrollIntoView({ block: "nearest" });
        return;
      }
      const wanted = { ArrowRight: "false", ArrowLeft: "true" }[e.key];
      const fold = row.parentElement?.querySelector<HTMLElement>("[data-fold]");
      if (fold && wanted === fold.ariaExpanded) {
        e.preventDefault();
        fold.click();
      }
    },
    [rows],
  );
}
