/** The paths of all pages. The server answers these alone: internal/webui has the same list. */
export const pages = {
  start: "/",
  fresh: "/new",
  chat: "/chats/:chat",
  agent: "/chats/:chat/agents/:agent",
  step: "/chats/:chat/agents/:agent/steps/:step",
  operations: "/operations",
  tab: "/operations/:tab",
  priorities: "/priorities",
  part: "/priorities/:part",
  documents: "/documents",
  document: "/documents/:document",
  graphs: "/graphs",
  graph: "/graphs/:graph",
} as const;

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

export const chatPath = (chatId: string) => `/chats/${chatId}`;

export const agentPath = (chatId: string, agentId: string) => `/chats/${chatId}/agents/${agentId}`;

export const stepPath = (chatId: string, agentId: string, stepId: string) =>
  `${agentPath(chatId, agentId)}/steps/${stepId}`;
