import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import type { Chat, CollectionName, Collections, Message, Task, ToolCall } from "../api/types";
import { undecided } from "../thread/steps";
import type { Draft } from "./drafts";
import { live, openRuns, outbox, readCalls, readShared, stops } from "./store";
import { type Written, written } from "./written";

/** The documents of which a field has a value, or all, in order; kept up to date. */
export function useDocuments<C extends CollectionName>(
  collection: C,
  field?: keyof Collections[C] & string,
  value?: string,
): readonly Collections[C][] {
  const subscribe = useCallback((fn: () => void) => live.documents.subscribe(collection, fn), [collection]);
  return useSyncExternalStore(subscribe, () => live.documents.list(collection, field, value));
}

export function useDocument<C extends CollectionName>(
  collection: C,
  id: string | undefined,
): Collections[C] | undefined {
  const subscribe = useCallback((fn: () => void) => live.documents.subscribe(collection, fn), [collection]);
  return useSyncExternalStore(subscribe, () => (id ? live.documents.get(collection, id) : undefined));
}

const subscribeLive = (fn: () => void) => live.subscribe(fn);

/** The calls of a running agent that wait for a person. */
export function useUndecided({ chatId, status, subAgentId }: Task): readonly ToolCall[] {
  const agent = status === "running" ? subAgentId : "";
  const begun = useSyncExternalStore(subscribeLive, () => live.begun);
  useEffect(() => {
    if (agent) {
      readCalls(chatId, agent, begun);
    }
  }, [chatId, agent, begun]);
  const calls = useDocuments("sub_agent_tool_calls", "subAgentId", agent);
  return useMemo(() => undecided(calls), [calls]);
}

/** The messages that are being written, of a chat's orchestrator or of one of its agents. */
export function useDrafts(chatId: string, subAgentId?: string): readonly Draft[] {
  const all = useSyncExternalStore(subscribeLive, () => live.drafts());
  return useMemo(
    () => all.filter((d) => d.chatId === chatId && d.subAgentId === subAgentId),
    [all, chatId, subAgentId],
  );
}

/** False when the server cannot be reached, undefined while that is not known. */
export const useOnline = () => useSyncExternalStore(subscribeLive, () => live.online);

const none: readonly Message[] = [];

/**
 * The messages that a fork shares with the chat it came from; none in other chats, and
 * while the server cannot be reached. Undefined until that is known.
 */
export function useShared(chat: Chat | undefined): readonly Message[] | undefined {
  const begun = useSyncExternalStore(subscribeLive, () => live.begun);
  const [read, setRead] = useState({ chatId: "", messages: none });
  const chatId = chat?.forkedFrom ? chat.id : "";
  // biome-ignore lint/correctness/useExhaustiveDependencies: what could not be read is read when the server is back
  useEffect(() => {
    if (!chatId) {
      return;
    }
    let shown = true;
    const show = (messages: readonly Message[]) => shown && setRead({ chatId, messages });
    readShared(chatId).then(show, () => show(none));
    return () => {
      shown = false;
    };
  }, [chatId, begun]);
  if (!chatId) {
    return none;
  }
  return read.chatId === chatId ? read.messages : undefined;
}

const subscribeOutbox = (fn: () => void) => outbox.subscribe(fn);

export const useOutbox = () => useSyncExternalStore(subscribeOutbox, () => outbox.list());

const subscribeRuns = (fn: () => void) => openRuns.subscribe(fn);

/** The runs of a chat that are under way, by their ids. */
export function useRunning(chatId: string): readonly string[] {
  const begun = useSyncExternalStore(subscribeLive, () => live.begun);
  // biome-ignore lint/correctness/useExhaustiveDependencies: of what was before the stream began it does not tell
  useEffect(() => {
    if (chatId && live.online) {
      openRuns.read(chatId).catch(() => {}); // the stream begins again, and so does this
    }
  }, [chatId, begun]);
  const all = useSyncExternalStore(subscribeRuns, () => openRuns.running());
  return useMemo(() => all.filter((r) => r.chatId === chatId).map((r) => r.id), [all, chatId]);
}

const subscribeStops = (fn: () => void) => stops.subscribe(fn);

/** The runs that a person stopped and the server has not. */
export const useStops = () => useSyncExternalStore(subscribeStops, () => stops.list());

/** Why the last stop was refused. */
export const useStopError = () => useSyncExternalStore(subscribeStops, () => stops.error());

const subscribeWritten = (fn: () => void) => written.subscribe(fn);

/** What is being written in a chat. */
export const useWritten = (chatId: string): Written =>
  useSyncExternalStore(subscribeWritten, () => written.get(chatId));
