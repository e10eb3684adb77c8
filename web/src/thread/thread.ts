import type { ForkPoint, Message, Task } from "../api/types";
import type { Draft } from "../data/drafts";
import type { Unsent } from "../data/outbox";
import { isConcluding, standsWithTask, tellsEnd } from "./results";

/** One row of a chat. */
export type ThreadItem =
  /** Stopped: it is the beginning of an answer that a person stopped. Below: its task stands right above. */
  | { kind: "message"; key: string; message: Message; stopped?: boolean; below?: boolean }
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
 * The rows of a chat, from its documents in order: the tasks that a message led to are one
 * group, after the reply that announced the first of them. What the row of a task says is not
 * said again.
 */
export function thread(
  messages: readonly Message[],
  tasks: readonly Task[],
  drafts: readonly Draft[],
  unsent: readonly Unsent[],
): ThreadItem[] {
  const placed = placeTasks(messages, tasks.filter(isOwnRow));
  const groupOf = new Map([...placed.values()].flatMap((group) => group.map((t) => [t.id, { t, group }])));
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
  const halves = new Set(messages.filter(isShown).filter(isHalf).map(asked));
  const told = new Set<string>();
  const isSaid = (m: Message) => {
    const own = groupOf.get(m.taskId ?? "");
    const first = own !== undefined && tellsEnd(m) && !told.has(own.t.id);
    if (first) {
      told.add(own.t.id);
    }
    const half = isStop(m) && halves.has(m.repliesTo); // it says so itself
    return isShown(m) && !half && !(own && standsWithTask(m, own.t, own.group, first));
  };
  for (const message of messages) {
    if (isSaid(message)) {
      if (isCalls(message)) {
        items.push(calls(message, results));
      } else {
        const half = isHalf(message) && stopped.has(asked(message));
        const below = isOnly(items.at(-1), message.taskId);
        items.push({
          kind: "message",
          key: message.id,
          message,
          ...(half && { stopped: true }),
          ...(below && { below: true }),
        });
      }
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
    if (!known.has(draft.id) && (draft.text || draft.cut)) {
      items.splice(placeOf(items, draft), 0, { kind: "draft", key: draft.id, draft });
    }
  }
  return items;
}

/** Where a draft stands: at the end or, if it broke off, below what was the newest then. */
function placeOf(items: readonly ThreadItem[], { text, cutAfter = 0 }: Draft): number {
  if (text) {
    return items.length;
  }
  const above = items.findLastIndex((i) => "message" in i && i.message.createdSeq <= cutAfter) + 1;
  return items[above]?.kind === "tasks" ? above + 1 : above;
}

/** Whether a row is the group of this task alone. */
const isOnly = (item: ThreadItem | undefined, taskId: string | undefined) =>
  item?.kind === "tasks" && item.tasks.length === 1 && item.tasks[0]?.id === taskId;

/** Whether it says that a person stopped the answer. */
const isStop = (m: Message) => m.type === "status" && m.repliesTo !== undefined;

/** Whether it is an answer that was not finished. */
const isHalf = (m: Message) => m.metadata?.finishReason === "interrupted";

/** What was being answered. */
const asked = (m: Message) => m.repliesTo ?? m.runId;

/** Whether a task has a row of its own: not what agents gave to others, nor the participant of the chat. */
const isOwnRow = (t: Task) => !t.parentAgentId && !t.standing;

/** Whether the participant of the chat calls tools in it. */
const isCalls = (m: Message) =>
  m.type === "tool_call" && (m.toolCalls?.some((c) => c.function.name !== "nothing_to_add") ?? false);

function calls(message: Message, results: ReadonlyMap<string, Message>): ThreadItem {
  const found = message.toolCalls?.flatMap((c) => results.get(c.id) ?? []) ?? [];
  return { kind: "calls", key: message.id, message, results: found };
}

const isOfTools = (m: Message) => m.type === "tool_call" || m.type === "tool_result" || m.role === "tool";

/** Whether people are meant to read it: not the bookkeeping of tools, nor a reply without words. */
function isShown(m: Message): boolean {
  if (isOfTools(m)) {
    return isCalls(m);
  }
  return m.content.trim() !== "";
}

/** Tasks by the id of the message that they stand under, "" for the top. */
function placeTasks(messages: readonly Message[], tasks: readonly Task[]): Map<string, Task[]> {
  const announcers = new Map<string, string>();
  for (const m of messages) {
    if (m.repliesTo && announces(m) && !announcers.has(m.repliesTo)) {
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
  if (!last || items.some((i) => i.kind === "draft" && i.draft.text)) {
    return false;
  }
  const standing = tasks.some((t) => t.standing);
  const answered = messages.some(
    (m) =>
      m.role !== "user" &&
      (standing || !isOfTools(m)) &&
      m.createdAt >= last.createdAt &&
      m.createdSeq > last.createdSeq,
  );
  const own = tasks.filter((t) => isOwnRow(t) && t.triggerMessageId === last.id);
  if (!answered) {
    return own.length === 0;
  }
  return tasks.some(isAtWork) || isConcluding(own, messages);
}
