import type { Dependency, FoundTask, Plan } from "../api/priorities";
import { words } from "../words/priorities";
import { waveOf } from "./layout";

const say = words.words;

/** Efforts, tools and dependencies as people read them. */

export function hours(h: number): string {
  if (h < 1) {
    return `${Math.round(h * 60)} min`;
  }
  return `${Math.round(h * 10) / 10} h`;
}

export const percent = (share: number): string => `${Math.round(share * 100)}%`;

const tools: Record<string, string> = say.tools;

/** What a tool is for. */
export const toolWords = (tool: string | null): string => (tool ? (tools[tool] ?? tool) : say.think);

export type Tasks = ReadonlyMap<string, FoundTask>;

export const textOf = (id: string, tasks: Tasks): string => tasks.get(id)?.text ?? say.gone;

/** A dependency in a sentence. */
export function dependencyWords(d: Dependency, tasks: Tasks): string {
  const [after, before] = [textOf(d.source_task_id, tasks), textOf(d.target_task_id, tasks)];
  switch (d.relationship_type) {
    case "prerequisite":
      return say.needs(after, before);
    case "blocks":
      return say.blocks(before, after);
    case "related":
      return say.related(after, before);
  }
}

export const sourceWords = (d: Dependency): string =>
  say.source(percent(d.confidence), d.detection_method === "ai_inference");

/** Where a task came to stand that was to go to a wave, and why if it is another one. */
export function movedWords(plan: Plan, id: string, wanted: number, tasks: Tasks): string {
  const wave = waveOf(plan, id);
  const text = textOf(id, tasks);
  if (wave === wanted) {
    return say.moved(text, wave);
  }
  const first = plan.dependencies.find(
    (d) =>
      d.source_task_id === id &&
      d.relationship_type !== "related" &&
      waveOf(plan, d.target_task_id) >= wanted,
  );
  return first ? say.notEarlier(text, wave, textOf(first.target_task_id, tasks)) : say.fits(text, wave);
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
