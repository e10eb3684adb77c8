import { useEffect, useMemo } from "react";
import { markChat } from "../api/find";
import type { Chat } from "../api/types";
import type { Marks } from "./activity";
import { useDocuments } from "./hooks";
import { live } from "./store";

/** Changes what the owner keeps about a chat, and shows it at once. */
export async function mark(chatId: string, change: Parameters<typeof markChat>[1]): Promise<void> {
  live.documents.put("chat_marks", [await markChat(chatId, change)]);
}

export function useMarks(): Marks {
  const all = useDocuments("chat_marks");
  return useMemo(
    () => ({ of: new Map(all.map((m) => [m.id, m])), since: all[0]?.createdAt ?? Number.POSITIVE_INFINITY }),
    [all],
  );
}

const settleMs = 400;

/**
 * Notes that the owner sees a chat, as long as the page is in sight; seldom, while much happens in it.
 * The first mark of all is made at once: what happens after it can be unread.
 */
export function useSeen(chat: Chat | undefined, latest: number): void {
  const marks = useMarks();
  const id = chat?.id ?? "";
  const seen = marks.of.get(id)?.seenAt ?? 0;
  const pause = marks.of.size > 0 ? settleMs : 0;
  useEffect(() => {
    if (!id || latest <= seen) {
      return;
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    const note = () => {
      clearTimeout(timer);
      if (document.visibilityState === "visible") {
        timer = setTimeout(() => void mark(id, { seenAt: latest }).catch(() => {}), pause);
      }
    };
    note();
    document.addEventListener("visibilitychange", note);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", note);
    };
  }, [id, latest, seen, pause]);
}
