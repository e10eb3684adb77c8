import { newId } from "./ids";
import { own } from "./owner";

/**
 * Work that is not saved yet, by what it is about. Each tab keeps its own, so that tabs
 * never overwrite each other's. A tab that has none begins with what another left, for
 * that one may be gone; when it is done with it, it takes that away, too, unless it has
 * changed since.
 */

const tabKey = "nestor.tab";

/** This tab, also after a reload. */
function tabId(): string {
  const known = sessionStorage.getItem(tabKey);
  if (known) {
    return known;
  }
  const made = newId();
  sessionStorage.setItem(tabKey, made);
  return made;
}

interface Kept {
  at: number;
  text: string;
}

/** What was kept before tabs had slots is under the name itself. */
function read(slot: string, name: string): Kept | undefined {
  const value = own.get(slot);
  if (value === null) {
    return undefined;
  }
  return slot === name ? { at: 0, text: value } : (JSON.parse(value) as Kept);
}

const mine = (name: string) => `${name}/${tabId()}`;
const all = (name: string) => own.names(name).filter((n) => n === name || n.startsWith(`${name}/`));

/** Where this tab took its work from, and as what. */
const taken = new Map<string, { slot: string; value: string | null }>();

export function loadSlot(name: string): string | undefined {
  const kept = read(mine(name), name);
  if (kept) {
    return kept.text;
  }
  const others = all(name).flatMap((slot) => ({ slot, kept: read(slot, name) }));
  const newest = others.sort((a, b) => (b.kept?.at ?? 0) - (a.kept?.at ?? 0))[0];
  if (newest) {
    taken.set(name, { slot: newest.slot, value: own.get(newest.slot) });
  }
  return newest?.kept?.text;
}

export const keepSlot = (name: string, text: string) =>
  own.set(mine(name), JSON.stringify({ at: Date.now(), text } satisfies Kept));

export function clearSlot(name: string): void {
  own.remove(mine(name));
  const from = taken.get(name);
  if (from && own.get(from.slot) === from.value) {
    own.remove(from.slot);
  }
  taken.delete(name);
}

/** Removes the work of all tabs, because what it is about is gone. */
export function clearSlots(name: string): void {
  for (const slot of all(name)) {
    own.remove(slot);
  }
}

/** What there is work about, below a folder of names. */
export const slotted = (folder: string): string[] => [
  ...new Set(own.names(folder).map((n) => n.slice(folder.length).split("/")[0] ?? "")),
];
