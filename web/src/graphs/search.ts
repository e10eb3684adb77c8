import type { NodeType } from "../api/graphs";

/** The types that have all the words, those with them in the name first. */
export function matchingTypes(types: readonly NodeType[], words: string): NodeType[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (text: string) => wanted.every((w) => text.toLowerCase().includes(w));
  const found = types.filter((t) => has(`${t.id} ${t.description}`));
  return found.sort((a, b) => Number(has(b.id)) - Number(has(a.id)));
}
