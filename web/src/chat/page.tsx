import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import type { Talk } from "../api/calls";
import { ApiError, explain } from "../api/http";
import type { Part } from "../api/types";
import {
  useDocument,
  useDocuments,
  useDrafts,
  useOnline,
  useOutbox,
  useRunning,
  useShared,
  useStopError,
  useStops,
} from "../data/hooks";
import { newId } from "../data/ids";
import type { Unsent } from "../data/outbox";
import { openChat, outbox, stops } from "../data/store";
import { textOf, written } from "../data/written";
import { chatPath, type Place } from "../place";
import { isThinking, sharedRows, thread } from "../thread/thread";
import { Boundary } from "../ui/boundary";
import { Notice } from "../ui/notice";
import { words } from "../words";
import { useAttaching } from "./attaching";
import { Composer } from "./composer";
import { ConversationContext } from "./conversation";
import { DropArea } from "./droparea";
import { beginEdit } from "./edit";
import { FirstRun } from "./firstrun";
import { ChatHeader } from "./header";
import { type ListHandle, MessageList } from "./list";
import { NewTalk } from "./participant";
import { useConversationOf } from "./useconversation";
import { Waiting } from "./waiting";

const FindBar = lazy(() => import("../find/bar"));
const Inspector = lazy(() => import("../inspector/inspector"));
const say = words.chat;

/** A chat, with an agent's inside beside it; without an id, one that is about to begin. */
export function ChatPage({ chatId = "", agentId, stepId }: Partial<Place>) {
  const [, navigate] = useLocation();
  const [error, setError] = useState("");
  const input = useRef<HTMLTextAreaElement>(null);
  const list = useRef<ListHandle>(null);
  const chat = useDocument("chats", chatId);
  const messages = useDocuments("messages", "chatId", chatId);
  const tasks = useDocuments("tasks", "chatId", chatId);
  const drafts = useDrafts(chatId);
  const unsent = useOutbox();
  const mine = useMemo(() => unsent.filter((m) => m.chatId === chatId), [unsent, chatId]);
  const shared = useShared(chat);
  const items = useMemo(
    () =>
      // All at once: the list cannot measure rows that come above others before it has drawn any.
      shared ? [...sharedRows(shared, chat?.forkedFrom), ...thread(messages, tasks, drafts, mine)] : [],
    [shared, chat?.forkedFrom, messages, tasks, drafts, mine],
  );

  const online = useOnline();
  const running = useRunning(chatId);
  const stopped = useStops();
  const stopError = useStopError();
  const attached = useAttaching(chatId);
  const conversation = useConversationOf(chat, chatId, messages, shared, input);
  const asked = messages.findLast((m) => m.role === "user");
  const thinking = useMemo(() => isThinking(items, tasks, messages), [items, tasks, messages]);
  const [talk, setTalk] = useState<Talk>({});

  useEffect(() => {
    if (chatId && !outbox.list().some((m) => m.chatId === chatId && (m.first || m.instead))) {
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

  const send = (content: string, parts?: readonly Part[]) => {
    const id = chatId || newId();
    outbox.add({
      id: newId(),
      chatId: id,
      content,
      parts,
      createdAt: Date.now(),
      first: !chatId,
      talk: chatId ? undefined : talk,
    });
    if (!chatId) {
      navigate(chatPath(id));
    }
  };

  /** Takes up a message that the server did not get, where it can be sent from. */
  const giveBack = (taken: Unsent) => {
    const { instead, first, gone, content, parts } = taken;
    if (instead) {
      beginEdit(instead.messageId, parts ? textOf(parts) : content);
      navigate(chatPath(instead.chatId));
      return;
    }
    const chat = first || gone ? "" : chatId; // else it would be refused again
    written.giveBack(chat, taken);
    if (!chat) {
      navigate("/new");
    } else {
      input.current?.focus();
    }
  };
  const edit = (taken: Unsent) => {
    outbox.discard(taken.id);
    giveBack(taken);
  };

  const unstopped = running.filter((id) => !stopped.some((s) => s.runId === id));
  const onItsWay = mine.filter((m) => !m.error);
  const underWay = onItsWay.length > 0 || running.length > 0;
  const stopping = underWay && unstopped.length === 0 && onItsWay.every((m) => m.stop);
  const stop = () => {
    onItsWay.flatMap(({ id }) => outbox.stop(id) ?? []).forEach(giveBack);
    stops.add(...unstopped);
    input.current?.focus();
  };

  return (
    <main id="main" className="flex min-h-0 flex-1">
      {/* Where there is no room for both, the inspector is all there is to see. */}
      {agentId && <h1 className="sr-only xl:hidden">{chat?.title}</h1>}
      <DropArea
        onFiles={attached.add}
        className={`flex min-w-0 flex-1 flex-col ${agentId ? "max-xl:hidden" : ""}`}
      >
        {chatId && (
          <Boundary what={say.parts.header}>
            <ChatHeader chat={chat} />
          </Boundary>
        )}
        {(error || stopError) && (
          <div className="p-3">
            {error && <Notice text={error} onClose={() => setError("")} />}
            {stopError && <Notice text={stopError} />}
          </div>
        )}
        <Boundary what={chatId ? say.parts.conversation : say.parts.begin}>
          {chatId ? (
            <ConversationContext value={conversation}>
              <Suspense>
                <FindBar items={items} list={list} />
              </Suspense>
              <MessageList
                ref={list}
                items={items}
                waiting={
                  thinking &&
                  asked && (
                    <Waiting runId={asked.runId ?? asked.id} stopping={stopping} online={online !== false} />
                  )
                }
                agentId={agentId}
                onEdit={edit}
              />
            </ConversationContext>
          ) : (
            <FirstRun onTry={send} />
          )}
        </Boundary>
        <Boundary what={say.parts.field}>
          {!chatId && (
            <div className="mx-auto w-full max-w-3xl px-4">
              <NewTalk talk={talk} onChange={setTalk} />
            </div>
          )}
          <Composer
            key={chatId}
            ref={input}
            chatId={chatId}
            tasks={tasks}
            attached={attached}
            onSend={send}
            onStop={underWay ? stop : undefined}
            stopping={stopping}
          />
        </Boundary>
      </DropArea>
      {agentId && (
        <Boundary key={agentId} what={say.parts.agent}>
          <Suspense fallback={<div className="w-full border-l border-line bg-panel xl:w-1/2" />}>
            <Inspector chatId={chatId} agentId={agentId} stepId={stepId} />
          </Suspense>
        </Boundary>
      )}
    </main>
  );
}
