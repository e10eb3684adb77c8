import { GitFork } from "lucide-react";
import { Link, useLocation } from "wouter";
import { forkChat } from "../api/calls";
import type { ForkPoint } from "../api/types";
import { useDocument } from "../data/hooks";
import { live } from "../data/store";
import { chatPath } from "../place";
import { useAction } from "../ui/action";
import { IconButton } from "../ui/button";
import { words } from "../words";
import { phrase } from "../words/phrase";
import { useChatId } from "./conversation";

const say = words.chat;

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
      <IconButton label={say.fork} disabled={busy} onClick={fork} className="size-7">
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
  const title = parent?.title || from.title || say.anotherChat;
  return (
    <div className="flex items-center gap-3 text-xs text-soft">
      <hr className="flex-1 border-line" />
      <span className="inline-flex min-w-0 items-center gap-1.5">
        <GitFork size={13} aria-hidden />
        <span className="truncate">
          {phrase(say.forkedFrom, {
            chat: parent ? (
              <Link href={chatPath(parent.id)} className="underline hover:text-ink">
                {title}
              </Link>
            ) : (
              title
            ),
          })}
        </span>
      </span>
      <hr className="flex-1 border-line" />
    </div>
  );
}
