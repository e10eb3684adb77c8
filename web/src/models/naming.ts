import type { Model } from "../api/operations";

/** A name that no connection has yet: "OpenAI", then "OpenAI 2". */
export function freeName(name: string, models: readonly Model[]): string {
  return first(name, (n) => `${name} ${n}`, new Set(models.map((m) => m.name)));
}

/** An id made of a name, that no connection has yet: people read ids on the command line and in addresses. */
export function freeId(name: string, models: readonly Model[]): string {
  const id = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 40);
  const base = id || "model";
  return first(base, (n) => `${base}-${n}`, new Set(models.map((m) => m.id)));
}

function first(base: string, numbered: (n: number) => string, taken: ReadonlySet<string>): string {
  let found = base;
  for (let n = 2; taken.has(found); n++) {
    found = numbered(n);
  }
  return found;
}
