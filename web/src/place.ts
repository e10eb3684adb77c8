/** The paths of all pages. The server answers these alone: internal/webui has the same list. */
export const pages = {
  start: "/",
  fresh: "/new",
  chat: "/chats/:chat",
  agent: "/chats/:chat/agents/:agent",
  step: "/chats/:chat/agents/:agent/steps/:step",
  chatRun: "/chats/:chat/runs/:run",
  run: "/runs/:run",
  shared: "/shared/:token",
  operations: "/operations",
  tab: "/operations/:tab",
  priorities: "/priorities",
  part: "/priorities/:part",
  documents: "/documents",
  document: "/documents/:document",
  graphs: "/graphs",
  graph: "/graphs/:graph",
} as const;

const patterns = Object.values(pages).map((p) => new RegExp(`^${p.replace(/:\w+/g, "[^/]+")}$`));

/** Whether an address is that of a page of this UI. */
export const isPagePath = (path: string) => patterns.some((p) => p.test(path.replace(/[?#].*$/, "")));

/** Where in the UI somebody is: the part of the address below /chats. */
export interface Place {
  chatId: string;
  agentId?: string;
  stepId?: string;
}

export function parsePlace(path: string): Place | undefined {
  const m = /^\/chats\/([^/]+)(?:\/agents\/([^/]+)(?:\/steps\/([^/]+))?)?$/.exec(path);
  return m?.[1] ? { chatId: m[1], agentId: m[2], stepId: m[3] } : undefined;
}

/** The parts of the page Priorities that open by address. */
export const partPath = (part: "outcome" | "reasoning") => `/priorities/${part}`;

/** A document, by the id of its first version or any other. */
export const documentPath = (id: string) => `/documents/${id}`;

export const graphPath = (graphId: string) => `/graphs/${graphId}`;

/** A graph with one of its runs on it. */
export const graphRunPath = (graphId: string, runId: string) => `${graphPath(graphId)}?run=${runId}`;

export const chatPath = (chatId: string) => `/chats/${chatId}`;

/** A message in a chat, which is shown when the chat is. */
export const messagePath = (chatId: string, messageId: string) => `${chatPath(chatId)}#${messageId}`;

export const agentPath = (chatId: string, agentId: string) => `/chats/${chatId}/agents/${agentId}`;

export const stepPath = (chatId: string, agentId: string, stepId: string) =>
  `${agentPath(chatId, agentId)}/steps/${stepId}`;

/** A run, in the chat in which it happened if there is one. */
export const runPath = (runId: string, chatId?: string) =>
  chatId ? `${chatPath(chatId)}/runs/${runId}` : `/runs/${runId}`;
