import type { Dependency, FoundTask, Plan } from "../api/priorities";
import { waveOf } from "./layout";

/** Efforts, tools and dependencies as people read them. */

export function hours(h: number): string {
  if (h < 1) {
    return `${Math.round(h * 60)} min`;
  }
  return `${Math.round(h * 10) / 10} h`;
}

export const percent = (share: number): string => `${Math.round(share * 100)}%`;

export const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

const tools: Record<string, string> = {
  "semantic-search": "Look for tasks that matter",
  "get-document-context": "Read the documents",
  "detect-dependencies": "Find out what depends on what",
  "query-task-graph": "Look up known dependencies",
  "cluster-by-similarity": "Group similar tasks",
  submit_plan: "Put the plan together",
};

/** What a tool is for. */
export const toolWords = (tool: string | null): string => (tool ? (tools[tool] ?? tool) : "Think");

export type Tasks = ReadonlyMap<string, FoundTask>;

export const textOf = (id: string, tasks: Tasks): string =>
  tasks.get(id)?.text ?? "a task whose document is gone";

/** A dependency in a sentence. */
export function dependencyWords(d: Dependency, tasks: Tasks): string {
  const [after, before] = [d.source_task_id, d.target_task_id].map((id) => `“${textOf(id, tasks)}”`);
  switch (d.relationship_type) {
    case "prerequisite":
      return `${after} needs ${before} first`;
    case "blocks":
      return `${before} blocks ${after}`;
    case "related":
      return `${after} and ${before} are related`;
  }
}

export const sourceWords = (d: Dependency): string =>
  `${percent(d.confidence)} sure, ${d.detection_method === "ai_inference" ? "found in this analysis" : "known before"}`;

/** What the server says about a plan, with the texts of tasks in place of their ids. */
export const noticeWords = (notice: string, tasks: Tasks): string =>
  notice.replace(/"([^"]+)"/g, (quoted, id: string) => (tasks.has(id) ? `“${textOf(id, tasks)}”` : quoted));

/** Where a task came to stand that was to go to a wave, and why if it is another one. */
export function movedWords(plan: Plan, id: string, wanted: number, tasks: Tasks): string {
  const wave = waveOf(plan, id);
  const text = `“${textOf(id, tasks)}”`;
  if (wave === wanted) {
    return `${text} is in wave ${wave} now.`;
  }
  const first = plan.dependencies.find(
    (d) =>
      d.source_task_id === id &&
      d.relationship_type !== "related" &&
      waveOf(plan, d.target_task_id) >= wanted,
  );
  return first
    ? `${text} is in wave ${wave}, not earlier: it needs “${textOf(first.target_task_id, tasks)}” first.`
    : `${text} is in wave ${wave}: that is where it fits.`;
}

/** The tasks that are open and that a plan does not know. */
export function unplanned(plan: Plan, tasks: Iterable<FoundTask>): FoundTask[] {
  const planned = new Set([...plan.ordered_task_ids, ...(plan.done ?? [])]);
  return [...tasks].filter((t) => !t.done && !planned.has(t.id));
}

const underWay = ["pending", "running", "waiting"];

/** The tasks that agents can be given: those that are known and that none works on. */
export const freeTasks = (ids: readonly string[], tasks: Tasks): string[] =>
  ids.filter((id) => tasks.has(id) && !underWay.includes(tasks.get(id)?.status ?? ""));
