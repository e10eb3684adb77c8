import { ownerId } from "../data/owner";
import { request } from "./http";
import type { ChatMark, FindPage } from "./types";

/** What was said in one's own chats, newest first: those of others cannot be opened here. */
export const search = (words: string, cursor = "", limit = 20) =>
  request<FindPage>(
    "GET",
    `/search?${new URLSearchParams({ q: words, user: ownerId(), limit: String(limit), ...(cursor && { cursor }) })}`,
  );

/** What one keeps about a chat for oneself. */
export const markChat = (
  chatId: string,
  mark: Partial<Pick<ChatMark, "pinned" | "folder" | "seenAt">>,
): Promise<ChatMark> => request<ChatMark>("PATCH", `/chats/${chatId}/mark`, mark);

export interface Project {
  id: string;
  name: string;
}

/** Whether a project is the one that a person's chats are in unless they say otherwise: it tells nothing about them. */
export const isDefaultProject = (id: string) => id.endsWith(".default");

/** The projects of all accounts that one has a part in. */
export async function listProjects(): Promise<Project[]> {
  const accounts = await request<{ items: { id: string }[] }>("GET", "/accounts");
  const lists = await Promise.all(
    accounts.items.map((a) => request<{ items: Project[] }>("GET", `/accounts/${a.id}/projects`)),
  );
  return lists.flatMap((l) => l.items).filter((p) => !isDefaultProject(p.id));
}

/** A run, as far as lists tell of it. */
export interface RunState {
  id: string;
  version: number;
  chatId?: string;
  status: "running" | "waiting" | "success" | "failed" | "cancelled";
  beganAt: number;
  endedAt?: number;
}

/** The runs that began last. */
export const listLatestRuns = () => request<{ items: RunState[] }>("GET", "/runs?limit=200");
