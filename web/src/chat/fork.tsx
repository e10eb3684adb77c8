import { GitFork } from "lucide-react";
import { createContext, useContext } from "react";
import { Link, useLocation } from "wouter";
import { forkChat } from "../api/calls";
import type { ForkPoint } from "../api/types";
import { useDocument } from "../data/hooks";
import { live } from "../data/store";
import { chatPath } from "../place";
import { useAction } from "../ui/action";
import { IconButton } from "../ui/button";

const ChatId = createContext("");

/** The chat that the buttons inside fork, and whose files messages show. */
export const ForkedChat = ChatId.Provider;

/** The chat that is shown. What a fork shares is said in another one, and read in this one. */
export const useChatId = () => useContext(ChatId);

/** Begins a chat that goes on from a message, and opens it. */
export function ForkButton({ at }: { at: string }) {
  const chatId = useChatId();
  const [, navigate] = useLocation();
  const { busy, error, run } = useAction();
  const fork = () =>
    run(async () => {
      const chat = await forkChat(chatId, at);
      live.documents.put("chats", [chat]);
      navigate(chatPath(chat.id));
    });
  return (
    <>
      <IconButton label="Fork from here" disabled={busy} onClick={fork} className="size-7">
        <GitFork size={14} />
      </IconButton>
      {error && (
        <span role="alert" className="text-bad">
          {error}
        </span>
      )}
    </>
  );
}

/** Where a fork leaves the chat that it came from. */
export function ForkLine({ from }: { from: ForkPoint }) {
  const parent = useDocument("chats", from.chatId);
  const title = parent?.title || from.title || "another chat";
  return (
    <div className="flex items-center gap-3 text-xs text-soft">
      <hr className="flex-1 border-line" />
      <span className="inline-flex min-w-0 items-center gap-1.5">
        <GitFork size={13} aria-hidden />
        <span className="truncate">
          Forked from{" "}
          {parent ? (
            <Link href={chatPath(parent.id)} className="underline hover:text-ink">
              {title}
            </Link>
          ) : (
            title
          )}
        </span>
      </span>
      <hr className="flex-1 border-line" />
    </div>
  );
}
