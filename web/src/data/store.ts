import { listAll, listShared, query } from "../api/calls";
import { request } from "../api/http";
import type { AgentMessage, Chat, Message, SubAgent, ToolCall } from "../api/types";
import type { Draft } from "./drafts";
import { applySettings, learn } from "./follow";
import { Live } from "./live";
import { OpenRuns } from "./openruns";
import { Outbox } from "./outbox";
import { channel } from "./owner";
import type { Replica } from "./replica";
import { agentScopes, baseScopes, chatScopes, type Scope } from "./scope";
import { Stops } from "./stops";
import type { LiveEvent } from "./stream";
import { shareStream } from "./tabs";

/** The data of this tab. Views read it through the hooks beside. */
export const live = new Live();
export const openRuns = new OpenRuns();
export const stops = new Stops((runId) => outbox.discard(runId));
export const outbox = new Outbox({
  sent: (message) => {
    live.documents.put("messages", [message]);
    openRuns.began(message);
    chatScopes(message.chatId).forEach(want); // it may be the first one of its chat
  },
  stop: (id, chatId) => stops.addMaybe(id, chatId),
  unstop: (id) => stops.forget(id),
});
live.watch((change) => openRuns.apply(change));
live.watch(applySettings);

/** What a page wants before it begins is remembered. */
const { promise: replica, resolve: begin } = Promise.withResolvers<Replica>();
const newestCount = 200;

/** Begins to follow the server, for the owner of the page. What the browser keeps is shown meanwhile. */
export function start(): void {
  outbox.open();
  stops.open();
  void import("./replica").then((m) => begin(new m.Replica(live.documents)));
  for (const scope of baseScopes) {
    want(scope);
  }
  shareDrafts();
  shareStream(apply, () => void replica.then((r) => r.hold()));
}

function apply(event: LiveEvent): void {
  live.apply(event);
  void replica.then((r) => r.apply(event));
  if (event.kind === "open") {
    void outbox.flush();
    void stops.flush();
    learn().catch(() => {}); // when there is a server again
  }
}

/** A tab that opens while something is being said asks the others for its beginning. */
function shareDrafts(): void {
  const tabs = channel("drafts");
  tabs.addEventListener("message", (e: MessageEvent<readonly Draft[] | "which">) => {
    if (e.data === "which") {
      tabs.postMessage(live.latestDrafts());
    } else {
      live.takeDrafts(e.data);
    }
  });
  tabs.postMessage("which");
}

function want(scope: Scope): void {
  replica.then((r) => r.want(scope)).catch(() => {});
}

/** Shows a chat: its newest messages at once, the rest as it comes. */
export async function openChat(chatId: string): Promise<void> {
  chatScopes(chatId).forEach(want);
  const chat = live.documents.get("chats", chatId) ?? (await request<Chat>("GET", `/chats/${chatId}`));
  live.documents.put("chats", [chat]);
  const [messages, agents] = await Promise.all([
    query<Message>({
      collection: `users/${chat.userId}/orch-chats/${chatId}/messages`,
      orderBy: [{ field: "createdAt", desc: true }],
      limit: newestCount,
    }),
    listAll<SubAgent>(`/chats/${chatId}/sub-agents`),
  ]);
  live.documents.put("messages", messages.items);
  live.documents.put("sub_agents", agents);
}

const shared = new Map<string, Promise<Message[]>>();

/** The messages that a fork shares, read once. What could not be read is asked for again. */
export function readShared(chatId: string): Promise<Message[]> {
  let reading = shared.get(chatId);
  if (!reading) {
    reading = listShared(chatId);
    reading.catch(() => shared.delete(chatId));
    shared.set(chatId, reading);
  }
  return reading;
}

/** The beginning of the stream at which the calls of an agent were read. */
const callsRead = new Map<string, number>();

/** Reads the calls of an agent that were made before the stream began, once. */
export function readCalls(chatId: string, agentId: string, begun: number): void {
  if (callsRead.get(agentId) !== begun) {
    callsRead.set(agentId, begun);
    loadCalls(chatId, agentId).catch(() => {}); // the stream begins again, and so does this
  }
}

async function loadCalls(chatId: string, agentId: string): Promise<void> {
  const calls = await listAll<ToolCall>(`/chats/${chatId}/sub-agents/${agentId}/tool-calls`);
  live.documents.put("sub_agent_tool_calls", calls);
}

/** Shows the inside of an agent. */
export async function openAgent(chatId: string, agentId: string): Promise<void> {
  agentScopes(chatId, agentId).forEach(want);
  const [messages] = await Promise.all([
    listAll<AgentMessage>(`/chats/${chatId}/sub-agents/${agentId}/messages`),
    loadCalls(chatId, agentId),
  ]);
  live.documents.put("sub_agent_messages", messages);
}
