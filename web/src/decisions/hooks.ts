import { useEffect, useMemo, useSyncExternalStore } from "react";
import type { Task, ToolCall } from "../api/types";
import { useDocument, useDocuments } from "../data/hooks";
import { live, readCalls } from "../data/store";
import { below, used } from "../thread/tree";
import { type Ask, asksOf } from "./asks";

const subscribeLive = (fn: () => void) => live.subscribe(fn);

/** The calls of all agents that are known. Those of running ones are read, also what was called before this page was opened. */
export function useCalls(tasks: readonly Task[]): readonly ToolCall[] {
  const begun = useSyncExternalStore(subscribeLive, () => live.begun);
  useEffect(() => {
    for (const { chatId, subAgentId, status } of tasks) {
      if (subAgentId && status === "running") {
        readCalls(chatId, subAgentId, begun);
      }
    }
  }, [tasks, begun]);
  return useDocuments("sub_agent_tool_calls");
}

/** What the agents of tasks wait for. */
export function useAsks(tasks: readonly Task[]): readonly Ask[] {
  const calls = useCalls(tasks);
  return useMemo(() => asksOf(tasks, calls), [tasks, calls]);
}

/** A task with all that work for it: who they are, what they used together, and what they wait for. */
export function useTree(task: Task | undefined) {
  const tasks = useDocuments("tasks", "chatId", task?.chatId ?? "");
  const agents = useDocuments("sub_agents", "chatId", task?.chatId ?? "");
  const all = useMemo(() => (task ? [task, ...below(tasks, task)] : []), [tasks, task]);
  const asks = useAsks(all);
  const sum = useMemo(() => used(all, agents), [all, agents]);
  const helpers = useMemo(() => all.slice(1), [all]);
  return { helpers, asks, used: sum };
}

/** What an answer names the question of a waiting task by. Tasks that wait since an older version do not say it; their agents do. */
export function useQuestionId(task: Task): string {
  const agent = useDocument("sub_agents", task.subAgentId);
  return task.questionId ?? agent?.questionCallId ?? "";
}
