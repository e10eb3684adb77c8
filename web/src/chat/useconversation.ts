import { type RefObject, useMemo } from "react";
import { useLocation } from "wouter";
import type { Chat, Message } from "../api/types";
import { useDocuments } from "../data/hooks";
import { newId } from "../data/ids";
import { outbox } from "../data/store";
import { written } from "../data/written";
import { chatPath } from "../place";
import { placesOf, versionsOf } from "../thread/versions";
import type { Conversation, Words } from "./conversation";

/** What the rows of a chat can do. */
export function useConversationOf(
  chat: Chat | undefined,
  chatId: string,
  messages: readonly Message[],
  shared: readonly Message[] | undefined,
  input: RefObject<HTMLTextAreaElement | null>,
): Conversation {
  const [, navigate] = useLocation();
  const chats = useDocuments("chats");
  const places = useMemo(() => placesOf(chats), [chats]);
  const byId = useMemo(
    () => new Map([...(shared ?? []), ...messages].map((m) => [m.id, m] as const)),
    [shared, messages],
  );
  const begins = useMemo(() => messages.find((m) => m.role === "user")?.id, [messages]);
  return useMemo(() => {
    const quote = (text: string) => {
      written.add(chatId, text);
      const line = input.current;
      requestAnimationFrame(() => {
        line?.focus();
        line?.setSelectionRange(line.value.length, line.value.length);
        line?.scrollTo(0, line.scrollHeight);
      });
    };
    const sayInstead = (messageId: string, said: readonly Words[]) => {
      const fork = newId();
      said.forEach((one, i) => {
        outbox.add({
          ...one,
          id: newId(),
          chatId: fork,
          createdAt: Date.now(),
          instead: i === 0 ? { chatId, messageId } : undefined,
        });
      });
      navigate(chatPath(fork));
    };
    return {
      chatId,
      find: (id) => byId.get(id),
      quote,
      sayInstead,
      versions: (m) => versionsOf(m, places, chat, begins, (id) => chats.find((c) => c.id === id)),
    };
  }, [chat, chatId, byId, begins, places, chats, input, navigate]);
}
