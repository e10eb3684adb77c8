import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import type { Talk } from "../api/calls";
import { ApiError, explain } from "../api/http";
import type { Part } from "../api/types";
import { useDocument, useDocuments, useDrafts, useOutbox, useShared } from "../data/hooks";
import { newId } from "../data/ids";
import type { Unsent } from "../data/outbox";
import { loadWritten, saveWritten } from "../data/settings";
import { openChat, outbox } from "../data/store";
import { chatPath, type Place } from "../place";
import { isThinking, sharedRows, thread } from "../thread/thread";
import { Boundary } from "../ui/boundary";
import { Notice } from "../ui/notice";
import { Composer } from "./composer";
import { FirstRun } from "./firstrun";
import { ForkedChat } from "./fork";
import { ChatHeader } from "./header";
import { MessageList } from "./list";
import { NewTalk } from "./participant";

const Inspector = lazy(() => import("../inspector/inspector"));

/** A chat, with an agent's inside beside it; without an id, one that is about to begin. */
export function ChatPage({ chatId = "", agentId, stepId }: Partial<Place>) {
  const [, navigate] = useLocation();
  const [error, setError] = useState("");
  const [edited, setEdited] = useState(0); // how often something was taken back to be written anew
  const [files, setFiles] = useState<readonly Part[]>([]); // of what was taken back
  const input = useRef<HTMLTextAreaElement>(null);
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

  const thinking = useMemo(() => isThinking(items, tasks, messages), [items, tasks, messages]);
  const [talk, setTalk] = useState<Talk>({});

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

  const edit = ({ id, content, parts, first, gone }: Unsent) => {
    const chat = first || gone ? "" : chatId; // else it would be refused again
    saveWritten(chat, [loadWritten(chat), content].filter(Boolean).join("\n\n"));
    outbox.discard(id);
    setFiles(parts?.filter((p) => p.fileId) ?? []);
    setEdited(edited + 1);
    if (!chat) {
      navigate("/new");
    }
  };

  return (
    <div className="flex min-h-0 flex-1">
      <main id="main" className={`flex min-w-0 flex-1 flex-col ${agentId ? "max-lg:hidden" : ""}`}>
        {chatId && (
          <Boundary what="The header of the chat">
            <ChatHeader chatId={chatId} chat={chat} tasks={tasks} drafts={drafts} thinking={thinking} />
          </Boundary>
        )}
        {error && (
          <div className="p-3">
            <Notice text={error} onClose={() => setError("")} />
          </div>
        )}
        <Boundary what={chatId ? "The conversation" : "The beginning of a chat"}>
          {chatId ? (
            <ForkedChat value={chatId}>
              <MessageList
                items={items}
                thinking={thinking}
                agentId={agentId}
                onAnswer={() => input.current?.focus()}
                onEdit={edit}
              />
            </ForkedChat>
          ) : (
            <FirstRun onTry={send} />
          )}
        </Boundary>
        <Boundary what="The message field">
          {!chatId && (
            <div className="mx-auto w-full max-w-3xl px-4">
              <NewTalk talk={talk} onChange={setTalk} />
            </div>
          )}
          <Composer
            key={`${chatId}/${edited}`}
            ref={input}
            chatId={chatId}
            tasks={tasks}
            files={files}
            onSend={send}
          />
        </Boundary>
      </main>
      {agentId && (
        <Boundary key={agentId} what="The agent">
          <Suspense fallback={<div className="w-full border-l border-line bg-panel lg:w-1/2" />}>
            <Inspector chatId={chatId} agentId={agentId} stepId={stepId} />
          </Suspense>
        </Boundary>
      )}
    </div>
  );
}
