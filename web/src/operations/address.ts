import { useSearchParams } from "wouter";
import { agentPath, chatPath } from "../place";

/** What the address says after the "?", and a way to change it: a reload, or somebody else, finds the same. */
export function useAddress<N extends string>(names: readonly N[]) {
  const [params, setParams] = useSearchParams();
  const values = Object.fromEntries(names.map((n) => [n, params.get(n) ?? ""])) as Record<N, string>;
  const change = (to: Partial<Record<N, string>>) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries<string | undefined>(to)) {
          if (value) {
            next.set(name, value);
          } else {
            next.delete(name);
          }
        }
        return next;
      },
      { replace: true },
    );
  return { values, change };
}

/** The page of a run: in its chat, if it has one. */
export const runPath = (id: string, chatId?: string) => `${chatId ? chatPath(chatId) : ""}/runs/${id}`;

/** The chat, and the agent in it, that a document is of. */
export function chatOf(path: string): { user: string; chatId: string; href: string } | undefined {
  const m = /^users\/([^/]+)\/orch-chats\/([^/]+)(?:\/sub-agents\/([^/]+))?/.exec(path);
  const [, user, chatId, agentId] = m ?? [];
  return user && chatId
    ? { user, chatId, href: agentId ? agentPath(chatId, agentId) : chatPath(chatId) }
    : undefined;
}

/** Whose a document is. */
export const userOf = (path: string): string => /^users\/([^/]+)/.exec(path)?.[1] ?? "";
