import type { ForkPoint, Message, Task } from "../api/types";
import type { Draft } from "../data/drafts";
import type { Unsent } from "../data/outbox";

/** One row of a chat. */
export type ThreadItem =
  /** Stopped: it is the beginning of an answer that a person stopped. */
  | { kind: "message"; key: string; message: Message; stopped?: boolean }
  | { kind: "fork"; key: string; from: ForkPoint }
  | { kind: "calls"; key: string; message: Message; results: Message[] }
  | { kind: "tasks"; key: string; tasks: Task[] }
  | { kind: "draft"; key: string; draft: Draft }
  | { kind: "unsent"; key: string; unsent: Unsent };

/** What a fork begins with: the messages that it shares, and the line below them. */
export function sharedRows(shared: readonly Message[], from: ForkPoint | null | undefined): ThreadItem[] {
  if (!from) {
    return [];
  }
  const rows = shared
    .filter(isShown)
    .map((message): ThreadItem => ({ kind: "message", key: `${message.chatId}/${message.id}`, message }));
  return [...rows, { kind: "fork", key: "fork", from }];
}

/**
 * The rows of a chat, from its documents in order: each task stands under the
 * message that led to it, after the reply that announced it.
 */
export function thread(
  messages: readonly Message[],
  tasks: readonly Task[],
  drafts: readonly Draft[],
  unsent: readonly Unsent[],
): ThreadItem[] {
  const shown = messages.filter(isShown);
  const placed = placeTasks(shown, tasks.filter(isOwnRow));
  const results = new Map(messages.flatMap((m) => (m.toolCallId ? [[m.toolCallId, m] as const] : [])));
  const items: ThreadItem[] = [];
  const addTasks = (key: string) => {
    const group = placed.get(key);
    if (group) {
      items.push({ kind: "tasks", key: `tasks-${group[0]?.id}`, tasks: group });
    }
  };
  addTasks("");
  const stopped = new Set(messages.filter(isStop).flatMap((m) => [m.repliesTo, ...(m.answers ?? [])]));
  const halves = new Set(shown.filter(isHalf).map(asked));
  for (const message of shown) {
    if (isStop(message) && halves.has(message.repliesTo)) {
      continue; // the half of an answer that is there says so itself
    }
    if (isCalls(message)) {
      items.push(calls(message, results));
    } else {
      const half = isHalf(message) && stopped.has(asked(message));
      items.push({ kind: "message", key: message.id, message, ...(half && { stopped: true }) });
    }
    addTasks(message.id);
  }
  const known = new Set(messages.map((m) => m.id));
  for (const u of unsent) {
    if (!known.has(u.id) && !u.answers) {
      // an answer stands with its question
      items.push({ kind: "unsent", key: u.id, unsent: u });
    }
  }
  for (const draft of drafts) {
    if (!known.has(draft.id) && draft.text) {
      items.push({ kind: "draft", key: draft.id, draft });
    }
  }
  return items;
}

/** Whether it says that a person stopped the answer. */
const isStop = (m: Message) => m.type === "status" && m.repliesTo !== undefined;

/** Whether it is an answer that was not finished. */
const isHalf = (m: Message) => m.metadata?.finishReason === "interrupted";

/** What was being answered. */
const asked = (m: Message) => m.repliesTo ?? m.runId;

/** Whether a task has a row of its own: not what agents gave to others, nor the participant of the chat. */
const isOwnRow = (t: Task) => !t.parentAgentId && !t.standing;

/** Whether the participant of the chat calls tools in it. */
const isCalls = (m: Message) => m.type === "tool_call" && (m.toolCalls?.length ?? 0) > 0;

function calls(message: Message, results: ReadonlyMap<string, Message>): ThreadItem {
  const found = message.toolCalls?.flatMap((c) => results.get(c.id) ?? []) ?? [];
  return { kind: "calls", key: message.id, message, results: found };
}

/** Whether people are meant to read it: not the bookkeeping of tools, nor a reply without words. */
function isShown(m: Message): boolean {
  if (m.type === "tool_call" || m.type === "tool_result" || m.role === "tool") {
    return isCalls(m);
  }
  return m.content.trim() !== "" || announces(m);
}

/** Tasks by the id of the message that they stand under, "" for the top. */
function placeTasks(messages: readonly Message[], tasks: readonly Task[]): Map<string, Task[]> {
  const announcers = new Map<string, string>();
  for (const m of messages) {
    if (m.repliesTo && announces(m)) {
      announcers.set(m.repliesTo, m.id);
    }
  }
  const ids = new Set(messages.map((m) => m.id));
  const placed = new Map<string, Task[]>();
  for (const task of tasks) {
    const trigger = task.triggerMessageId ?? "";
    const under =
      announcers.get(trigger) ?? (ids.has(trigger) ? trigger : lastBefore(messages, task.createdAt));
    placed.set(under, [...(placed.get(under) ?? []), task]);
  }
  return placed;
}

const announces = (m: Message) => m.toolCalls?.some((c) => c.function.name === "create_agent") ?? false;

function lastBefore(messages: readonly Message[], time: number): string {
  return messages.findLast((m) => m.createdAt <= time)?.id ?? "";
}

const isAtWork = (t: Task) => t.standing === true && t.status === "running";

/** Whether an answer is being prepared and nothing of it can be seen yet. */
export function isThinking(
  items: readonly ThreadItem[],
  tasks: readonly Task[],
  messages: readonly Message[],
): boolean {
  const last = messages.findLast((m) => m.role === "user" && !m.questionId); // an agent has the others
  if (!last || items.some((i) => i.kind === "draft")) {
    return false;
  }
  const answered = messages.some(
    (m) => m.role !== "user" && m.createdAt >= last.createdAt && m.createdSeq > last.createdSeq,
  );
  const own = tasks.filter((t) => !t.standing);
  return !answered ? !own.some((t) => t.triggerMessageId === last.id) : tasks.some(isAtWork);
}
