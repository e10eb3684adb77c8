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

export const chatPath = (chatId: string) => `/chats/${chatId}`;

export const agentPath = (chatId: string, agentId: string) => `/chats/${chatId}/agents/${agentId}`;

export const stepPath = (chatId: string, agentId: string, stepId: string) =>
  `${agentPath(chatId, agentId)}/steps/${stepId}`;
