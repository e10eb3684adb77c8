/** What was done, for undo and redo. */
export interface History<T> {
  readonly past: readonly T[];
  readonly present: T;
  readonly future: readonly T[];
  /** What the latest step was about. Steps about the same, such as letters typed into a field, are one. */
  readonly about?: string;
}

const longest = 200;

export const begin = <T>(present: T): History<T> => ({ past: [], present, future: [] });

export function commit<T>(h: History<T>, present: T, about?: string): History<T> {
  if (present === h.present) {
    return h;
  }
  const past = about !== undefined && about === h.about ? h.past : [...h.past, h.present].slice(-longest);
  return { past, present, future: [], about };
}

export function undo<T>(h: History<T>): History<T> {
  const before = h.past.at(-1);
  return before === undefined
    ? h
    : { past: h.past.slice(0, -1), present: before, future: [h.present, ...h.future] };
}

export function redo<T>(h: History<T>): History<T> {
  const [next, ...future] = h.future;
  return next === undefined ? h : { past: [...h.past, h.present], present: next, future };
}
