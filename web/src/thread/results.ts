import type { Message, Task } from "../api/types";
import { isEnded } from "./tree";

/** Whether a message tells how a task ended, in the words of its agent. Older servers had a model word it. */
export const tellsEnd = (m: Message): boolean =>
  m.role === "assistant" && Boolean(m.taskId && m.title) && !m.questionId;

/** Whether the result of a task answers the person as it is. Others stand with their task. */
export function answersPerson(task: Task, group: readonly Task[]): boolean {
  if (task.deliver) {
    return task.deliver === "answer";
  }
  return task.type === "tool" || group.filter((t) => t.type !== "tool").length === 1;
}

/**
 * Whether a message says no more than the row of its task does. First says that none before it tells of
 * the task: what an agent brought that was sent on later is new where it is said.
 */
export function standsWithTask(m: Message, task: Task, group: readonly Task[], first: boolean): boolean {
  if (!tellsEnd(m)) {
    return false;
  }
  if (m.type === "error" || task.status === "failed") {
    return true;
  }
  return first && !answersPerson(task, group) && m.content === task.result;
}

/** Whether the last result of a group was told and comes back: then what follows from it is to be said. */
export function isConcluding(group: readonly Task[], messages: readonly Message[]): boolean {
  const last = messages.findLast((m) => m.role !== "tool");
  const told = group.find((t) => t.id === last?.taskId);
  if (!last || !told || !tellsEnd(last)) {
    return false;
  }
  const ended = told.endedAt ?? 0;
  const beside = group.filter((t) => !t.endedAt || t.endedAt >= told.createdAt); // it may have come of the others
  return (
    beside.every((t) => isEnded(t) && (t.endedAt ?? 0) <= ended) &&
    beside.some((t) => t.deliver === "return" || t.outcome === "could_not")
  );
}
