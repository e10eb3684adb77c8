import type { RunState } from "../api/find";
import type { Chat, ChatMark, Task } from "../api/types";

/** What goes on in a chat, and when something happened in it last. */
export interface Activity {
  state?: "running" | "waiting";
  latest: number;
}

/** What goes on in each chat, by its tasks and its runs. */
export function activity(
  chats: readonly Chat[],
  tasks: readonly Task[],
  states: readonly RunState[],
): Map<string, Activity> {
  const all = new Map<string, Activity>(chats.map((c) => [c.id, { latest: c.updatedAt }]));
  const add = (chatId: string, status: string, at: number) => {
    const a = all.get(chatId);
    if (!a) {
      return;
    }
    a.latest = Math.max(a.latest, at);
    if (status === "waiting") {
      a.state = "waiting";
    } else if ((status === "running" || status === "pending") && a.state !== "waiting") {
      a.state = "running";
    }
  };
  for (const r of states) {
    add(r.chatId ?? "", r.status, r.endedAt ?? 0);
  }
  for (const t of tasks) {
    add(t.chatId, t.status, t.updatedAt);
  }
  return all;
}

/** What the owner keeps about chats, and since when they do. */
export interface Marks {
  of: ReadonlyMap<string, ChatMark>;
  since: number;
}

/**
 * Whether something happened in a chat after its person last saw it. What was there before
 * they kept any marks counts as seen.
 */
export const isUnread = (chatId: string, latest: number, { of, since }: Marks): boolean =>
  latest > (of.get(chatId)?.seenAt ?? since);
