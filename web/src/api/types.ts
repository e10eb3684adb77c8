import type * as api from "../../../clients/typescript/src/api";

/**
 * The documents and events of the server. Their types are generated from its
 * description of itself, so the UI cannot drift apart from it.
 */

/** The ids in a document's path are optional in general; what comes through the API has them. */
type Placed<T, Ids extends keyof T> = T & Required<Pick<T, Ids>>;

export type Chat = Placed<api.Chat, "userId">;
export type Message = Placed<api.Message, "chatId">;
export type Task = Placed<api.Task, "chatId">;
export type SubAgent = Placed<api.SubAgent, "chatId">;
export type AgentMessage = Placed<api.SubAgentMessage, "chatId" | "subAgentId">;
export type ToolCall = Placed<api.ToolCall, "chatId" | "subAgentId">;

export type ChatMark = Placed<
  api.ChatMark,
  "id" | "userId" | "version" | "seq" | "createdSeq" | "createdAt" | "updatedAt"
>;

export type Meta = Pick<api.Document, "id" | "version" | "seq" | "createdSeq" | "createdAt" | "updatedAt">;
export type ForkPoint = NonNullable<api.Chat["forkedFrom"]>;
export type Usage = NonNullable<api.Chat["usage"]>;
export type ToolRequest = NonNullable<api.Message["toolCalls"]>[number];
export type Media = NonNullable<api.SubAgentMessage["media"]>[number];
export type Part = api.Part;
export type Uploaded = api.File;
export type TaskStatus = api.Task["status"];
export type CallStatus = api.ToolCall["status"];
export type {
  ChangeEvent,
  DeltaEvent,
  Find,
  FindPage,
  Me,
  NewDecision,
  Participant,
  Run,
  RunWaits,
  Wait,
} from "../../../clients/typescript/src/api";

/** The flat collections that the UI keeps, and what they hold. */
export interface Collections {
  chats: Chat;
  messages: Message;
  tasks: Task;
  sub_agents: SubAgent;
  sub_agent_messages: AgentMessage;
  sub_agent_tool_calls: ToolCall;
  chat_marks: ChatMark;
}

export type CollectionName = keyof Collections;

export const collectionNames: CollectionName[] = [
  "chats",
  "messages",
  "tasks",
  "sub_agents",
  "sub_agent_messages",
  "sub_agent_tool_calls",
  "chat_marks",
];
