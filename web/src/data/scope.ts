import type { CollectionName } from "../api/types";

/** A part of a collection that is kept in step: all of it, or what lies below some ids. */
export interface Scope {
  collection: CollectionName;
  chatId?: string;
  subAgentId?: string;
}

export const scopeName = (s: Scope): string =>
  [s.collection, s.chatId, s.subAgentId].filter(Boolean).join("/");

export const sameIds = (s: Scope, d: Record<string, unknown>): boolean =>
  (!s.chatId || d.chatId === s.chatId) && (!s.subAgentId || d.subAgentId === s.subAgentId);

export const selectorOf = ({ chatId, subAgentId }: Scope): Record<string, string> => ({
  ...(chatId && { chatId }),
  ...(subAgentId && { subAgentId }),
});

/** What a person sees everywhere, in a chat, and inside an agent. */
export const baseScopes: Scope[] = [
  { collection: "chats" },
  { collection: "tasks" },
  { collection: "chat_marks" },
];

export const chatScopes = (chatId: string): Scope[] => [
  { collection: "messages", chatId },
  { collection: "sub_agents", chatId },
];

export const agentScopes = (chatId: string, subAgentId: string): Scope[] => [
  { collection: "sub_agent_messages", chatId, subAgentId },
  { collection: "sub_agent_tool_calls", chatId, subAgentId },
];
