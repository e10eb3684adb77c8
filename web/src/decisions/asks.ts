import type { Task, ToolCall } from "../api/types";
import { isUndecided } from "../thread/steps";
import { grouped } from "../thread/tree";

/** What an agent wants of a person: an answer, or a decision about a call; or of the client, the result of one. */
export type Ask =
  | { kind: "question"; id: string; task: Task }
  | { kind: "call" | "client"; id: string; task: Task; call: ToolCall };

/** Whether the chat's client runs the call and has not said what came of it. */
const isWithClient = (c: ToolCall) => c.client === true && c.status === "running" && !c.held;

/** All that agents of these tasks wait for, in the order of the tasks. */
export function asksOf(tasks: readonly Task[], calls: readonly ToolCall[]): Ask[] {
  const byAgent = grouped(calls, (c) => c.subAgentId);
  return tasks.flatMap((task): Ask[] => {
    if (task.status === "waiting") {
      return [{ kind: "question", id: task.questionId ?? task.id, task }];
    }
    if (task.status !== "running" || !task.subAgentId) {
      return [];
    }
    return (byAgent.get(task.subAgentId) ?? []).flatMap((call): Ask[] => {
      const kind = isUndecided(call) ? "call" : isWithClient(call) ? "client" : undefined;
      return kind ? [{ kind, id: call.id, task, call }] : [];
    });
  });
}

/** Whether a person can do something about it here. */
export const isForPeople = (ask: Ask): boolean => ask.kind !== "client";
