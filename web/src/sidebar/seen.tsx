import { useMemo } from "react";
import { useLocation } from "wouter";
import { useDocument, useDocuments } from "../data/hooks";
import { useSeen } from "../data/marks";
import { useActivity } from "../data/runstates";
import { parsePlace } from "../place";

/** Notes that its person sees the chat that is open. */
export function Seen() {
  const [path] = useLocation();
  const id = parsePlace(path)?.chatId ?? "";
  const chat = useDocument("chats", id);
  const tasks = useDocuments("tasks", "chatId", id);
  const chats = useMemo(() => (chat ? [chat] : []), [chat]);
  const latest = useActivity(chats, tasks).get(id)?.latest ?? 0;
  useSeen(chat, latest);
  return null;
}
