import { Bot, User } from "lucide-react";
import { Link } from "wouter";
import type { Author } from "../api/documents";
import { ownerId } from "../data/owner";
import { agentPath, chatPath } from "../place";
import { roleOf } from "../thread/format";
import { words } from "../words/documents";

const say = words.author;

/** Who wrote a version. An agent leads to its chat. */
export function AuthorName({ by }: { by?: Author | null }) {
  if (!by?.chatId) {
    return (
      <span className="inline-flex items-center gap-1 align-bottom">
        <User size={12} aria-hidden /> {nameOf(by)}
      </span>
    );
  }
  return (
    <Link
      href={by.subAgentId ? agentPath(by.chatId, by.subAgentId) : chatPath(by.chatId)}
      className="inline-flex items-center gap-1 align-bottom text-accent hover:underline"
    >
      <Bot size={12} aria-hidden /> {nameOf(by)}
    </Link>
  );
}

export function nameOf(by?: Author | null): string {
  if (by?.chatId) {
    return by.role ? say.agent(roleOf(by.role)) : say.anAgent;
  }
  return by ? (by.userId === ownerId() ? say.you : by.userId) : say.somebody;
}
