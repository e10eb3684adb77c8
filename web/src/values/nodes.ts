import { type Holder, isHolder } from "./shape";

/** A place in a value, as a line of the tree. */
export interface Node {
  /** Differs from those of all other nodes. */
  id: string;
  /** Where it is, as one would write it in a program. */
  path: string;
  /** Its name in what holds it; nothing for the whole. */
  name?: string;
  value: unknown;
  depth: number;
  /** It stands for some of many entries, from one to before another. */
  slice?: { from: number; to: number };
}

/** So many entries are shown at once; more come in slices that open. */
const mostEntries = 100;
/** A value opens by itself as far as it has no more lines than this. */
const openAtFirst = 40;

export const root = (value: Holder): Node => ({ id: "$", path: "$", value, depth: 0 });

export const opens = (node: Node) => isHolder(node.value) && size(node.value) > 0;

export const size = (value: Holder) => (Array.isArray(value) ? value.length : Object.keys(value).length);

export function children(node: Node): Node[] {
  if (!isHolder(node.value)) {
    return [];
  }
  const { from, to } = node.slice ?? { from: 0, to: size(node.value) };
  if (to - from > mostEntries) {
    return slices(node, from, to);
  }
  const isList = Array.isArray(node.value);
  return Object.entries(node.value)
    .slice(from, to)
    .map(([name, value]) => {
      const path = `${node.path}${step(name, isList)}`;
      return { id: path, path, name, value, depth: node.depth + 1 };
    });
}

/** A hundred parts at most, each of a hundred entries or as many as it takes. */
function slices(node: Node, from: number, to: number): Node[] {
  const each = mostEntries * Math.max(1, Math.ceil((to - from) / mostEntries ** 2));
  const parts: Node[] = [];
  for (let at = from; at < to; at += each) {
    const slice = { from: at, to: Math.min(to, at + each) };
    parts.push({ ...node, id: `${node.id}/${slice.from}-${slice.to}`, depth: node.depth + 1, slice });
  }
  return parts;
}

const step = (name: string, isList: boolean) =>
  isList
    ? `[${name}]`
    : /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name)
      ? `.${name}`
      : `[${JSON.stringify(name)}]`;

/** The nodes that are open at first: level by level, as far as they are few. */
export function firstOpen(top: Node): Set<string> {
  const open = new Set<string>();
  let lines = 1;
  for (let level = [top]; level.length > 0; ) {
    const below: Node[] = [];
    for (const node of level.filter(opens)) {
      const inside = children(node);
      if (node !== top && lines + inside.length > openAtFirst) {
        return open;
      }
      open.add(node.id);
      lines += inside.length;
      below.push(...inside.filter((n) => !n.slice));
    }
    level = below;
  }
  return open;
}

/** The lines of a tree, of what is open. */
export function lines(top: Node, open: ReadonlySet<string>): Node[] {
  return [top, ...(open.has(top.id) ? children(top).flatMap((n) => lines(n, open)) : [])];
}
