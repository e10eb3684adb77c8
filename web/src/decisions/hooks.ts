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

/** All that work for a task, what they used together, and what they wait for. */
export interface Tree {
  helpers: readonly Task[];
  asks: readonly Ask[];
  used: { tokens: number; micros: number };
}

/** Tasks of a chat, each with all that work for it. */
export function useTrees(chatId: string, tasks: readonly Task[]): Tree[] {
  const known = useDocuments("tasks", "chatId", chatId);
  const agents = useDocuments("sub_agents", "chatId", chatId);
  const all = useMemo(() => tasks.map((t) => [t, ...below(known, t)]), [known, tasks]);
  const calls = useCalls(useMemo(() => all.flat(), [all]));
  return useMemo(
    () => all.map((t) => ({ helpers: t.slice(1), asks: asksOf(t, calls), used: used(t, agents) })),
    [all, calls, agents],
  );
}

export const nobody: Tree = { helpers: [], asks: [], used: { tokens: 0, micros: 0 } };

export function useTree(task: Task | undefined): Tree {
  const tasks = useMemo(() => (task ? [task] : []), [task]);
  return useTrees(task?.chatId ?? "", tasks)[0] ?? nobody;
}

/** What an answer names the question of a waiting task by. Tasks that wait since an older version do not say it; their agents do. */
export function useQuestionId(task: Task): string {
  const agent = useDocument("sub_agents", task.subAgentId);
  return task.questionId ?? agent?.questionCallId ?? "";
}
