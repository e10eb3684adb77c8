import { type RefObject, useCallback, useEffect, useRef } from "react";

/**
 * Keeps the focus on the control of a task that moves: the browser forgets it
 * when the card goes to another place. `remember` is called before the task
 * moves; the focus follows when `moved` changes.
 */
export function useRefocus(part: RefObject<HTMLElement | null>, moved: unknown) {
  const kept = useRef<{ id: string; control?: string }>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it may have moved
  useEffect(() => {
    const was = kept.current;
    if (!was || (document.activeElement && document.activeElement !== document.body)) {
      return;
    }
    kept.current = undefined;
    const card = part.current?.querySelector<HTMLElement>(`[data-card="${CSS.escape(was.id)}"]`);
    const control = card?.querySelector<HTMLElement>(`[data-control="${was.control}"]`);
    (control ?? card)?.focus();
  }, [moved]);
  return useCallback((id: string) => {
    const control = document.activeElement?.closest<HTMLElement>("[data-control]")?.dataset.control;
    kept.current = { id, control };
  }, []);
}
