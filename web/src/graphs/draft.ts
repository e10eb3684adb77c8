import type { Doc } from "../api/graphs";
import { own } from "../data/owner";
import { drawn } from "../data/settings";
import { clearSlot, clearSlots, keepSlot, loadSlot } from "../data/slots";

/** Work on a graph that is not saved yet, and the version that it began with. */
export interface Draft {
  version: number;
  doc: Doc;
}

const input = (id: string) => `graph-input/${id}`;

export function loadDraft(id: string): Draft | undefined {
  const text = loadSlot(drawn(id));
  return text === undefined ? undefined : (JSON.parse(text) as Draft);
}

export const saveDraft = (id: string, draft: Draft) => keepSlot(drawn(id), JSON.stringify(draft));

export const removeDraft = (id: string) => clearSlot(drawn(id));

/** What a graph was run with last, as it was written. */
export const loadInput = (id: string) => own.get(input(id)) ?? "";

export const saveInput = (id: string, text: string) => own.set(input(id), text);

export function forgetGraph(id: string): void {
  clearSlots(drawn(id));
  own.remove(input(id));
}
