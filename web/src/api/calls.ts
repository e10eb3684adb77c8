import { request } from "./http";
import type { Chat, Me, Message, NewDecision, Task } from "./types";

export interface Page<T> {
  items: T[];
  next?: string;
}

export const createChat = (id: string) => request<Chat>("POST", "/chats", { id });

export const renameChat = (id: string, title: string) => request<Chat>("PATCH", `/chats/${id}`, { title });

export const setChatModel = (id: string, modelConnectionId: string) =>
  request<Chat>("PATCH", `/chats/${id}`, { modelConnectionId });

export const deleteChat = (id: string) => request<void>("DELETE", `/chats/${id}`);

export const stopChat = (id: string) => request<void>("POST", `/chats/${id}/stop`);

export const sendMessage = (chatId: string, id: string, content: string) =>
  request<Message>("POST", `/chats/${chatId}/messages`, { id, content });

export type TaskControl = "cancel" | "pause" | "resume" | "retry";

export const controlTask = (task: Task, what: TaskControl) =>
  request<Task>("POST", `/chats/${task.chatId}/tasks/${task.id}/${what}`);

export const steerTask = (task: Task, content: string) =>
  request<void>("POST", `/chats/${task.chatId}/tasks/${task.id}/messages`, { content });

export const decideCall = (chatId: string, agentId: string, callId: string, decision: NewDecision) =>
  request<void>("POST", `/chats/${chatId}/sub-agents/${agentId}/tool-calls/${callId}/decision`, decision);

/** Who is signed in. */
export const getMe = () => request<Me>("GET", "/me");

export const signIn = (login: string, password: string) =>
  request<void>("POST", "/login", { login, password });

/** With the value of NESTOR_TOKEN, for whoever runs the server. */
export const signInWithToken = (token: string) => request<void>("POST", "/login", { token });

/** All pages of a list. */
export async function listAll<T>(path: string): Promise<T[]> {
  const items: T[] = [];
  let cursor = "";
  do {
    const page = await request<Page<T>>("GET", `${path}?limit=1000&cursor=${encodeURIComponent(cursor)}`);
    items.push(...page.items);
    cursor = page.next ?? "";
  } while (cursor);
  return items;
}

interface Query {
  collection: string;
  orderBy?: { field: string; desc?: boolean }[];
  limit?: number;
}

export const query = <T>(q: Query) => request<Page<T>>("POST", "/query", q);
