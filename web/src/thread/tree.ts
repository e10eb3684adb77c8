import type { SubAgent, Task } from "../api/types";
import { headline, roleOf } from "./format";

/** What a task is called: by its title or, without one, the first words of its instruction. A tool is called by its name. */
export const titleOf = ({ type, name, title, instruction }: Task): string =>
  title || (type === "tool" ? "" : headline(instruction)) || roleOf(name);

/** Who worked for whom is asked for each row of a list, and the same for all of them. */
const indexes = new WeakMap<readonly Task[], Map<string, Task[]>>();

function helpersByAgent(tasks: readonly Task[]): Map<string, Task[]> {
  let index = indexes.get(tasks);
  if (!index) {
    index = grouped(tasks, (t) => t.parentAgentId ?? "");
    indexes.set(tasks, index);
  }
  return index;
}

/** The tasks that a task's agent gave to others, in the order of the tasks. */
export const helpersOf = (tasks: readonly Task[], { subAgentId }: Task): readonly Task[] =>
  (subAgentId && helpersByAgent(tasks).get(subAgentId)) || [];

/** All tasks below a task, each one after the one that it works for. None is met twice, whatever documents say. */
export function below(tasks: readonly Task[], task: Task): Task[] {
  const found: Task[] = [];
  const met = new Set([task.id]);
  const walk = (above: Task) => {
    for (const t of helpersOf(tasks, above)) {
      if (!met.has(t.id)) {
        met.add(t.id);
        found.push(t);
        walk(t);
      }
    }
  };
  walk(task);
  return found;
}

/** The tasks above a task, the topmost first. */
export function above(tasks: readonly Task[], task: Task | undefined): Task[] {
  const found: Task[] = [];
  for (let parent = task?.parentAgentId; parent; ) {
    const up = tasks.find((t) => t.subAgentId === parent);
    if (!up || found.includes(up)) {
      break;
    }
    found.unshift(up);
    parent = up.parentAgentId;
  }
  return found;
}

export const isEnded = ({ status }: Task): boolean =>
  status === "success" || status === "failed" || status === "cancelled";

/** What tasks used together. The document of an agent is more recent than that of its task. */
export function used(
  tasks: readonly Task[],
  agents: readonly SubAgent[],
): { tokens: number; micros: number } {
  const byTask = new Map(agents.map((a) => [a.taskId, a]));
  let [tokens, micros] = [0, 0];
  for (const task of tasks) {
    const agent = byTask.get(task.id);
    const usage = agent?.usage ?? task.usage;
    tokens += usage ? usage.inputTokens + usage.outputTokens : 0;
    micros += agent?.costMicros ?? task.costMicros ?? 0;
  }
  return { tokens, micros };
}

/** A list by a key, each part in the order of the list. */
export function grouped<T>(list: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of list) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) {
      group.push(item);
    } else {
      groups.set(key, [item]);
    }
  }
  return groups;
}
