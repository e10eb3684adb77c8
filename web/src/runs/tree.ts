import type { RunRow, WaitFor } from "../api/runs";

/** What a row and all below it took. */
export interface Totals {
  tokens: number;
  costMicros: number;
  errors: number;
  retries: number;
  agents: number;
}

/** A stretch of a bar. "agents" is time that went to agents below. */
export interface Segment {
  for: WaitFor | "agents";
  from: number;
  to: number;
}

export interface Node {
  row: RunRow;
  children: Node[];
  parent?: Node;
  depth: number;
  /** When it could begin, and when it was over or, if it is not, now. */
  from: number;
  to: number;
  totals: Totals;
  segments: Segment[];
  /** Something in it failed. */
  failed: boolean;
  /** The run would have been over sooner without it. */
  critical: boolean;
}

const over = (row: RunRow) => !["pending", "running", "waiting"].includes(row.status);

const tokensOf = ({ usage }: RunRow) => (usage ? usage.inputTokens + usage.outputTokens : 0);

/** Rows that were read before and those that are new. */
export function merged(rows: readonly RunRow[], news: readonly RunRow[]): RunRow[] {
  const all = new Map(rows.map((row) => [row.id, row]));
  for (const row of news) {
    all.set(row.id, row);
  }
  return [...all.values()];
}

/** The tree of rows. What has no end yet lasts until now. */
export function build(all: readonly RunRow[], now: number): Node | undefined {
  const started = new Set(all.filter((r) => r.id.includes("/sub-agents/")).map((r) => r.taskId));
  // A task that waited for its agent is told by the agent from then on.
  const rows = all.filter((r) => !(r.id.includes("/tasks/") && started.has(r.taskId)));
  const top = rows.find((r) => !r.parent) ?? rows[0];
  if (!top) {
    return undefined;
  }
  const known = new Map(rows.map((r) => [r.id, r]));
  const below = new Map<string, RunRow[]>();
  for (const row of rows) {
    if (row !== top) {
      const parent = row.parent && known.has(row.parent) && row.parent !== row.id ? row.parent : top.id;
      const rows = below.get(parent);
      if (rows) {
        rows.push(row);
      } else {
        below.set(parent, [row]);
      }
    }
  }
  const root = grow(top, below, undefined, now);
  mark(root);
  return root;
}

const beginOf = (row: RunRow) => row.queuedAt || row.beganAt || 0;

function grow(row: RunRow, below: Map<string, RunRow[]>, parent: Node | undefined, now: number): Node {
  const node: Node = {
    row,
    children: [],
    parent,
    depth: parent ? parent.depth + 1 : 0,
    from: beginOf(row),
    to: row.endedAt || (over(row) ? row.beganAt || beginOf(row) : now),
    totals: {
      tokens: tokensOf(row),
      costMicros: row.costMicros ?? 0,
      errors: row.error && isLeaf(row) ? 1 : 0,
      retries: row.retries ?? 0,
      agents: row.kind === "agent" ? 1 : 0,
    },
    segments: [],
    failed: row.status === "failed",
    critical: false,
  };
  const rows = (below.get(row.id) ?? []).sort((a, b) => beginOf(a) - beginOf(b) || a.order - b.order);
  for (const child of rows) {
    const grown = grow(child, below, node, now);
    node.children.push(grown);
    add(node.totals, grown.totals);
    node.failed ||= grown.failed;
    if (grown.from && (!node.from || grown.from < node.from)) {
      node.from = grown.from;
    }
    node.to = Math.max(node.to, grown.to);
  }
  if (row.error && node.totals.errors === 0) {
    node.totals.errors = 1; // it failed by itself, not by what is below it
  }
  node.segments = segmentsOf(node, now);
  return node;
}

const isLeaf = ({ kind }: RunRow) => !["agent", "execution", "session"].includes(kind);

function add(to: Totals, more: Totals): void {
  to.tokens += more.tokens;
  to.costMicros += more.costMicros;
  to.errors += more.errors;
  to.retries += more.retries;
  to.agents += more.agents;
}

/** What the time of a row went to: its own waits, and those of the steps right below it. */
function segmentsOf(node: Node, now: number): Segment[] {
  const own = (n: Node): Segment[] =>
    (n.row.waits ?? []).map((w) => ({ for: w.for, from: w.from, to: w.to || now }));
  const segments = own(node);
  for (const child of node.children) {
    if (child.children.length > 0 || child.row.kind === "agent" || child.row.kind === "execution") {
      segments.push({ for: "agents", from: child.from, to: child.to });
    } else {
      segments.push(...own(child));
    }
  }
  return joined(segments);
}

/** Stretches of the same kind that overlap are one: of a thousand agents at once one is drawn. */
function joined(segments: Segment[]): Segment[] {
  const last = new Map<string, Segment>();
  const all: Segment[] = [];
  for (const s of segments.sort((a, b) => a.from - b.from)) {
    const before = last.get(s.for);
    if (before && s.from <= before.to) {
      before.to = Math.max(before.to, s.to);
    } else {
      last.set(s.for, s);
      all.push(s);
    }
  }
  // Agents are drawn first, below what is drawn over them.
  return all.sort((a, b) => Number(b.for === "agents") - Number(a.for === "agents"));
}

/**
 * Marks the critical path: from the end of a row back through what ended last, then through what
 * ended last before that began.
 */
function mark(node: Node): void {
  node.critical = true;
  let until = Number.POSITIVE_INFINITY;
  for (const child of [...node.children].sort((a, b) => b.to - a.to || b.row.order - a.row.order)) {
    if (child.to <= until && child.to > child.from) {
      mark(child);
      until = child.from;
    }
  }
}

/** The rows to draw: those that are not inside a folded one and, if only failures are asked for, lead to one. */
export function visible(root: Node, folded: ReadonlySet<string>, failedOnly: boolean): Node[] {
  const rows: Node[] = [];
  const walk = (node: Node) => {
    if (failedOnly && !node.failed && node.totals.errors === 0) {
      return;
    }
    rows.push(node);
    if (!folded.has(node.row.id)) {
      for (const child of node.children) {
        walk(child);
      }
    }
  };
  walk(root);
  return rows;
}

export function find(root: Node, id: string): Node | undefined {
  if (root.row.id === id) {
    return root;
  }
  for (const child of root.children) {
    const found = find(child, id);
    if (found) {
      return found;
    }
  }
  return undefined;
}

/** The step that is under way and began last. */
export function latest(root: Node): Node | undefined {
  let found: Node | undefined;
  const walk = (node: Node) => {
    if (!over(node.row) && node.parent && (!found || node.from >= found.from)) {
      found = node;
    }
    for (const child of node.children) {
      walk(child);
    }
  };
  walk(root);
  return found;
}

/** Marks of a time axis of a length, at round distances. */
export function ticks(length: number, most = 6): number[] {
  const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000];
  let step = steps.find((s) => length / s <= most) ?? 60_000;
  while (length / step > most) {
    step *= 2;
  }
  const marks: number[] = [];
  for (let at = 0; at <= length; at += step) {
    marks.push(at);
  }
  return marks;
}

/** A row of one run beside the one of another that did the same. */
export interface Pair {
  key: string;
  depth: number;
  left?: Node;
  right?: Node;
}

/** Two trees side by side: rows of the same kind, name and text under the same parent are a pair. */
export function compare(left: Node | undefined, right: Node | undefined, depth = 0, key = ""): Pair[] {
  const pairs: Pair[] = [{ key, depth, left, right }];
  const nameOf = (n: Node, withLabel: boolean) =>
    [n.row.kind, n.row.name, n.row.for, withLabel ? n.row.label : ""].join("\u0000");
  const rest = [...(right?.children ?? [])];
  const take = (n: Node) => {
    for (const withLabel of [true, false]) {
      const i = rest.findIndex((r) => nameOf(r, withLabel) === nameOf(n, withLabel));
      if (i >= 0) {
        return rest.splice(i, 1)[0];
      }
    }
    return undefined;
  };
  (left?.children ?? []).forEach((child, i) => {
    pairs.push(...compare(child, take(child), depth + 1, `${key}/${i}`));
  });
  rest.forEach((child, i) => {
    pairs.push(...compare(undefined, child, depth + 1, `${key}/+${i}`));
  });
  return pairs;
}
