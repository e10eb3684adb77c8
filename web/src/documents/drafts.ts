import { useSyncExternalStore } from "react";
import type { Text } from "../api/documents";
import { drafted, draftName } from "../data/settings";
import { clearSlot, keepSlot, loadSlot } from "../data/slots";

/** A text that is not saved yet, and the version that it was made from. */
export interface Draft extends Text {
  baseId: string;
}

export function loadDraft(firstId: string): Draft | undefined {
  try {
    return JSON.parse(loadSlot(draftName(firstId)) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

export function keepDraft(firstId: string, draft: Draft | undefined): void {
  if (draft) {
    keepSlot(draftName(firstId), JSON.stringify(draft));
  } else {
    clearSlot(draftName(firstId));
  }
  for (const tell of listeners) {
    tell();
  }
}

const listeners = new Set<() => void>();

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

/** The documents that have a draft, by their first ids. */
export const useDrafted = () => useSyncExternalStore(subscribe, () => drafted().join(" ")).split(" ");
