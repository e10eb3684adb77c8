import type { DeltaEvent } from "../api/types";

/** A message that is being written: what was said and thought so far. */
export interface Draft {
  id: string;
  path: string;
  chatId: string;
  taskId?: string;
  subAgentId?: string;
  text: string;
  reasoning: string;
  tools: { callId: string; name: string; status: string }[];
  /** What was said to people before it broke off. It stays until something is said in its place. */
  cut?: string;
  /** Which message of the chat was the newest then, by its createdSeq. */
  cutAfter?: number;
}

/**
 * What a draft is after a delta; undefined when nothing is left of it.
 *
 * Text is set from its offset on, not appended, so a delta that comes twice
 * changes nothing. Offsets count code points, as the server does.
 */
export function joined(
  draft: Draft | undefined,
  delta: DeltaEvent,
  newest: (chatId: string) => number,
): Draft | undefined {
  const { id, path, taskId, subAgentId, chatId = "" } = delta;
  const now = draft ?? { id, path, chatId, taskId, subAgentId, text: "", reasoning: "", tools: [] };
  switch (delta.kind) {
    case "text":
      return { ...now, text: spliced(now.text, delta) };
    case "reasoning":
      return { ...now, reasoning: spliced(now.reasoning, delta) };
    case "tool":
      return delta.tool ? { ...now, tools: [...others(now, delta.tool.callId), delta.tool] } : now;
    case "restart":
      return cut(now, newest) ?? { ...now, text: "", reasoning: "", tools: [] };
    case "done":
      return draft;
    case "drop":
      return draft && cut(draft, newest);
  }
}

/** A draft that broke off: what it said in the chat, undefined if it said nothing there. */
export function cut(draft: Draft, newest: (chatId: string) => number): Draft | undefined {
  const said = draft.subAgentId ? "" : draft.text || draft.cut;
  const cutAfter = draft.cutAfter ?? newest(draft.chatId);
  return said ? { ...draft, text: "", reasoning: "", tools: [], cut: said, cutAfter } : undefined;
}

function others(draft: Draft, callId: string) {
  return draft.tools.filter((t) => t.callId !== callId);
}

function spliced(text: string, { offset, text: more = "" }: DeltaEvent): string {
  return text.slice(0, unitsBefore(text, offset)) + more;
}

/** How many UTF-16 units the first n code points of a text take. */
function unitsBefore(text: string, n: number): number {
  if (n >= text.length) {
    return text.length; // never more code points than units: a text that only grows is not counted through
  }
  let units = 0;
  for (let points = 0; points < n && units < text.length; points++) {
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  }
  return units;
}
