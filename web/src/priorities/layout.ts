import type { Dependency, Plan } from "../api/priorities";

/** Where a card lies on the board. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface Line {
  from: string;
  to: string;
  path: string;
}

/** How far a line goes out beside cards that stand below each other. */
const gutter = 14;

/** Whether one of the tasks has to come before the other. */
export const orders = ({ relationship_type: type }: Dependency) => type !== "related";

/** The lines to and from a task: each goes from what comes first to what comes after it. */
export function linesOf(
  id: string,
  dependencies: readonly Dependency[],
  boxes: ReadonlyMap<string, Box>,
): Line[] {
  return touching(id, dependencies).flatMap(({ source_task_id: to, target_task_id: from }) => {
    const [a, b] = [boxes.get(from), boxes.get(to)];
    return a && b ? [{ from, to, path: pathOf(a, b) }] : [];
  });
}

/** The dependencies of a task on others, and of others on it, that give an order. */
export const touching = (id: string, dependencies: readonly Dependency[]) =>
  dependencies.filter((d) => orders(d) && (d.source_task_id === id || d.target_task_id === id));

/** From the right of a to the left of b, or beside both where b stands below a. */
function pathOf(a: Box, b: Box): string {
  const [ay, by] = [a.top + a.height / 2, b.top + b.height / 2].map(Math.round);
  const [ax, bx] = [a.left + a.width, b.left].map(Math.round);
  if (ax !== undefined && bx !== undefined && ax <= bx) {
    const middle = Math.round((ax + bx) / 2);
    return `M${ax} ${ay}C${middle} ${ay} ${middle} ${by} ${bx} ${by}`;
  }
  const left = Math.round(a.left);
  const out = Math.min(left, Math.round(b.left)) - gutter;
  return `M${left} ${ay}C${out} ${ay} ${out} ${by} ${Math.round(b.left)} ${by}`;
}

/** How a card is marked while another one is looked at. */
export type Mark = "self" | "before" | "after" | undefined;

export function markOf(id: string, lit: string | undefined, dependencies: readonly Dependency[]): Mark {
  if (!lit || id === lit) {
    return lit ? "self" : undefined;
  }
  const d = touching(lit, dependencies).find((x) => x.source_task_id === id || x.target_task_id === id);
  return d && (d.target_task_id === id ? "before" : "after");
}

/** The wave that a task stands in, 0 if it stands in none. */
export const waveOf = (plan: Plan, id: string): number =>
  plan.execution_waves.find((w) => w.task_ids.includes(id))?.wave_number ?? 0;
