import { ChevronLeft, ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Chat, Message } from "../api/types";
import { chatPath } from "../place";
import { words } from "../words";
import { useConversation } from "./conversation";

const say = words.chat;

/** The way between what was said in one place: the first message, and what was said there in forks. */
export function Versions({ message }: { message: Message }) {
  const { chatId, versions } = useConversation();
  const all = versions(message);
  const here = all.findIndex((c) => c.id === chatId);
  if (all.length < 2 || here < 0) {
    return null;
  }
  return (
    <nav aria-label={say.versions} className="flex items-center text-xs text-soft">
      <Way to={all[here - 1]} label={say.earlierVersion}>
        <ChevronLeft size={14} />
      </Way>
      <span className="tabular-nums">{say.versionOf(here + 1, all.length)}</span>
      <Way to={all[here + 1]} label={say.laterVersion}>
        <ChevronRight size={14} />
      </Way>
    </nav>
  );
}

function Way({ to, label, children }: { to: Chat | undefined; label: string; children: ReactNode }) {
  const look = "inline-flex size-7 items-center justify-center rounded-lg pointer-coarse:size-9";
  return to ? (
    <Link href={chatPath(to.id)} aria-label={label} title={label} className={`${look} hover:bg-hover`}>
      {children}
    </Link>
  ) : (
    <span aria-hidden className={`${look} opacity-30`}>
      {children}
    </span>
  );
}
