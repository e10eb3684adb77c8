import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import { ApiError, explain } from "../api/http";
import { useDocument, useDocuments, useDrafts, useOutbox } from "../data/hooks";
import { newId } from "../data/ids";
import { openChat, outbox } from "../data/store";
import { chatPath, type Place } from "../place";
import { isThinking, thread } from "../thread/thread";
import { Boundary } from "../ui/boundary";
import { Notice } from "../ui/notice";
import { Composer } from "./composer";
import { FirstRun } from "./firstrun";
import { ChatHeader } from "./header";
import { MessageList } from "./list";

const Inspector = lazy(() => import("../inspector/inspector"));

/** A chat, with an agent's inside beside it; without an id, one that is about to begin. */
export function ChatPage({ chatId = "", agentId, stepId }: Partial<Place>) {
  const [, navigate] = useLocation();
  const [error, setError] = useState("");
  const input = useRef<HTMLTextAreaElement>(null);
  const chat = useDocument("chats", chatId);
  const messages = useDocuments("messages", "chatId", chatId);
  const tasks = useDocuments("tasks", "chatId", chatId);
  const drafts = useDrafts(chatId);
  const unsent = useOutbox();
  const mine = useMemo(() => unsent.filter((m) => m.chatId === chatId), [unsent, chatId]);
  const items = useMemo(() => thread(messages, tasks, drafts, mine), [messages, tasks, drafts, mine]);

  useEffect(() => {
    if (chatId && !outbox.list().some((m) => m.chatId === chatId && m.first)) {
      openChat(chatId).catch((e) => (e instanceof ApiError && e.code === "offline") || setError(explain(e)));
    }
  }, [chatId]);

  // The focus is nowhere when a page opens, or what had it is gone, such as the page before the first
  // message. On a phone it would open the keyboard.
  useEffect(() => {
    if (document.activeElement === document.body && matchMedia("(pointer: fine)").matches) {
      input.current?.focus();
    }
  }, []);

  const send = (content: string) => {
    const id = chatId || newId();
    outbox.add({ id: newId(), chatId: id, content, createdAt: Date.now(), first: !chatId });
    if (!chatId) {
      navigate(chatPath(id));
    }
  };

  return (
    <div className="flex min-h-0 flex-1">
      <main id="main" className={`flex min-w-0 flex-1 flex-col ${agentId ? "max-lg:hidden" : ""}`}>
        {chatId && <ChatHeader chatId={chatId} chat={chat} tasks={tasks} drafts={drafts} />}
        {error && (
          <div className="p-3">
            <Notice text={error} onClose={() => setError("")} />
          </div>
        )}
        {chatId ? (
          <MessageList
            items={items}
            thinking={isThinking(items, tasks, messages)}
            agentId={agentId}
            onAnswer={() => input.current?.focus()}
          />
        ) : (
          <FirstRun onTry={send} />
        )}
        <Composer key={chatId} ref={input} chatId={chatId} tasks={tasks} onSend={send} />
      </main>
      {agentId && (
        <Boundary key={agentId}>
          <Suspense fallback={<div className="w-full border-l border-line bg-panel lg:w-1/2" />}>
            <Inspector chatId={chatId} agentId={agentId} stepId={stepId} />
          </Suspense>
        </Boundary>
      )}
    </div>
  );
}
