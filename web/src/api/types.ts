/** The documents of the server, as chat.go, task.go and subagent.go describe them. */

export interface Meta {
  id: string;
  version: number;
  seq: number;
  createdAt: number;
  updatedAt: number;
}

export interface Usage {
  inputTokens: number;
  cachedInputTokens?: number;
  outputTokens: number;
  reasoningTokens?: number;
}

interface Spending {
  usage?: Usage;
  costMicros?: number;
}

export interface Chat extends Meta, Spending {
  userId: string;
  title?: string;
  modelConnectionId?: string;
}

type Role = "system" | "user" | "assistant" | "tool";

type MessageType = "text" | "tool_call" | "tool_result" | "status" | "summary" | "error";

export interface ToolRequest {
  id: string;
  type: string;
  function: { name: string; arguments: string };
}

interface MessageMetadata extends Spending {
  model?: string;
  durationMs?: number;
  finishReason?: string;
  reasoning?: unknown;
}

interface Spoken extends Meta {
  role: Role;
  type?: MessageType;
  content: string;
  toolCalls?: ToolRequest[];
  repliesTo?: string;
  metadata?: MessageMetadata;
}

export interface Message extends Spoken {
  userId: string;
  chatId: string;
  taskId?: string;
  isLlmMessage?: boolean;
}

export type TaskStatus = "pending" | "running" | "waiting" | "success" | "failed" | "cancelled";

export interface Task extends Meta, Spending {
  userId: string;
  chatId: string;
  type: "agent" | "tool";
  name: string;
  instruction: string;
  subAgentId?: string;
  triggerMessageId?: string;
  status: TaskStatus;
  result?: string;
  error?: string;
  question?: string;
  paused?: boolean;
  parentAgentId?: string;
  parentCallId?: string;
  depth?: number;
  steps?: number;
  startedAt?: number;
  endedAt?: number;
}

export interface SubAgent extends Meta, Spending {
  chatId: string;
  taskId: string;
  role: string;
  status: "active" | "waiting_for_user" | "completed" | "failed" | "cancelled";
  iterationCount: number;
  iterationLimit?: number;
  question?: string;
  autoAnswers?: number;
  parentId?: string;
  model?: string;
  modelMs?: number;
}

export interface AgentMessage extends Spoken {
  chatId: string;
  subAgentId: string;
  toolCallId?: string;
  name?: string;
}

export type CallStatus =
  | "pending"
  | "awaiting_approval"
  | "running"
  | "success"
  | "failed"
  | "skipped"
  | "unknown"
  | "cancelled";

export type DecisionAction = "approve" | "deny" | "retry" | "done" | "skip";

export interface Decision {
  action: DecisionAction;
  by?: string;
  at?: number;
  args?: unknown;
  reason?: string;
}

export interface ToolCall extends Meta {
  chatId: string;
  subAgentId: string;
  toolName: string;
  args?: unknown;
  status: CallStatus;
  result?: string;
  error?: string;
  held?: boolean;
  messageId?: string;
  effect?: string;
  taskId?: string;
  startedAt?: number;
  durationMs?: number;
  decisions?: Decision[];
}

/** The flat collections that the UI keeps, and what they hold. */
export interface Collections {
  chats: Chat;
  messages: Message;
  tasks: Task;
  sub_agents: SubAgent;
  sub_agent_messages: AgentMessage;
  sub_agent_tool_calls: ToolCall;
}

export type CollectionName = keyof Collections;

export const collectionNames: CollectionName[] = [
  "chats",
  "messages",
  "tasks",
  "sub_agents",
  "sub_agent_messages",
  "sub_agent_tool_calls",
];

/** A change of a document, as the event stream tells it. */
export interface ChangeEvent {
  type: "create" | "update" | "delete";
  path: string;
  collection: string;
  id: string;
  seq: number;
  document: (Meta & Record<string, unknown>) | null;
}

/** What is being said right now, before its document exists. */
export interface DeltaEvent {
  path: string;
  id: string;
  chatId?: string;
  taskId?: string;
  subAgentId?: string;
  kind: "text" | "reasoning" | "tool" | "restart" | "done" | "drop";
  text?: string;
  offset: number;
  tool?: { callId: string; name: string; status: string };
}
