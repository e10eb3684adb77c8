import { request } from "./http";
import type { Chat, Me, Message, NewDecision, Part, Participant, Run, RunWaits, Task } from "./types";

export interface Page<T> {
  items: T[];
  next?: string;
}

/** Who answers in a chat, with which model, and what it is told beforehand. */
export interface Talk {
  participant?: string;
  modelConnectionId?: string;
  systemPrompt?: string;
}

export const createChat = (id: string, talk?: Talk) => request<Chat>("POST", "/chats", { id, ...talk });

/** Changes it from the next message on; null is the default. */
export const setTalk = (id: string, talk: { [K in keyof Talk]: Talk[K] | null }) =>
  request<Chat>("PATCH", `/chats/${id}`, talk);

export const listParticipants = () => request<{ items: Participant[] }>("GET", "/participants");

export const renameChat = (id: string, title: string) => request<Chat>("PATCH", `/chats/${id}`, { title });

export const deleteChat = (id: string) => request<void>("DELETE", `/chats/${id}`);

/** Begins a chat that goes on from a message of another one. */
export const forkChat = (id: string, at: string) => request<Chat>("POST", `/chats/${id}/fork`, { at });

/** Begins a chat that says something in the place of a message. */
export const forkBefore = (id: string, before: string, fork: string) =>
  request<Chat>("POST", `/chats/${id}/fork`, { id: fork, before });

/** The messages that a fork shares with the chat it came from. They do not change. */
export const listShared = (id: string) => listAll<Message>(`/chats/${id}/messages`, "&part=shared");

/** Ends all that a message set in motion. What was said stays. */
export const cancelRun = (id: string) => request<void>("POST", `/runs/${id}/cancel`);

/** The newest runs of a chat, or those of them that have a status. */
export const listRuns = (chatId: string, status = "") =>
  request<Page<Run>>("GET", `/runs?chatId=${encodeURIComponent(chatId)}&status=${status}&limit=100`);

/** What a run waits for. */
export const getWaits = (id: string) => request<RunWaits>("GET", `/runs/${id}/waits`);

/** Says a text, or parts. */
export const sendMessage = (chatId: string, id: string, content: string | readonly Part[]) =>
  request<Message>("POST", `/chats/${chatId}/messages`, { id, content });

/** Answers a question of the agent that does a task, and no other one. */
export const answerTask = (
  chatId: string,
  id: string,
  { taskId, questionId }: { taskId: string; questionId: string },
  content: string | readonly Part[],
) => request<Message>("POST", `/chats/${chatId}/tasks/${taskId}/answer`, { id, questionId, content });

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
export async function listAll<T>(path: string, more = ""): Promise<T[]> {
  const items: T[] = [];
  let cursor = "";
  do {
    const page = await request<Page<T>>(
      "GET",
      `${path}?limit=1000&cursor=${encodeURIComponent(cursor)}${more}`,
    );
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
