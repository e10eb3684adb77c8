import type { Task } from "../api/types";

/** A task where it stands below the agent that created it. */
export interface Branch {
  task: Task;
  depth: number;
  children: Branch[];
}

/**
 * The tasks of a chat as a tree: each below the agent that created it, in the order of
 * creation, which no update changes. A task whose parent is not there stands at the top.
 */
export function branches(tasks: readonly Task[]): Branch[] {
  const ordered = [...tasks].sort((a, b) => a.createdAt - b.createdAt || a.createdSeq - b.createdSeq);
  const byAgent = new Map<string, Branch>();
  const top: Branch[] = [];
  for (const task of ordered) {
    const parent = byAgent.get(task.parentAgentId ?? ""); // older, so there are no circles whatever documents say
    const branch: Branch = { task, depth: parent ? parent.depth + 1 : 0, children: [] };
    (parent?.children ?? top).push(branch);
    if (task.subAgentId) {
      byAgent.set(task.subAgentId, branch);
    }
  }
  return top;
}
