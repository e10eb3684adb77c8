import type { ThreadItem } from "../thread/thread";

/** Whether a row of a chat has a text, in any case. */
export function holds(item: ThreadItem, typed: string): boolean {
  const wanted = typed.trim().toLowerCase();
  return textsOf(item).some((t) => t?.toLowerCase().includes(wanted));
}

function textsOf(item: ThreadItem): (string | undefined)[] {
  switch (item.kind) {
    case "message":
      return [item.message.content];
    case "draft":
      return [item.draft.text || item.draft.cut];
    case "unsent":
      return [item.unsent.content];
    case "tasks":
      return item.tasks.flatMap((t) => [t.title, t.instruction, t.question, t.result, t.error]);
    default:
      return [];
  }
}
