import type { Drawn, GraphNode } from "../api/graphs";

/** How large nodes are drawn, by id. */
export type Sizes = ReadonlyMap<string, { width: number; height: number }>;

type Positions = Map<string, GraphNode["position"]>;

const usual = { width: 220, height: 120 };
/** Between columns there is room for the data of a run. */
const gap = { x: 150, y: 40 };

/**
 * Places nodes in columns from left to right: each right of all that lead to it.
 * Edges that close a circle are ignored. In a column nodes are ordered by where
 * their neighbours are, so that few edges cross, and columns are centred.
 */
export function layout(graph: Drawn, sizes: Sizes = new Map()): Positions {
  const order = graph.nodes.map((n) => n.id);
  const known = new Set(order);
  const edges = graph.edges.filter((e) => known.has(e.sourceNodeId) && known.has(e.targetNodeId));
  const forward = withoutCircles(order, edges);
  const columns = columnsOf(order, forward);
  untangle(columns, forward);
  const sizeOf = (id: string) => sizes.get(id) ?? usual;
  const heightOf = (column: string[]) =>
    column.reduce((sum, id) => sum + sizeOf(id).height, gap.y * (column.length - 1));
  const tallest = Math.max(0, ...columns.map(heightOf));
  const places: Positions = new Map();
  let x = 0;
  for (const column of columns) {
    let y = (tallest - heightOf(column)) / 2;
    for (const id of column) {
      places.set(id, { x: Math.round(x), y: Math.round(y) });
      y += sizeOf(id).height + gap.y;
    }
    x += Math.max(...column.map((id) => sizeOf(id).width)) + gap.x;
  }
  return places;
}

/** What follows each node, without the edges that lead back. */
function withoutCircles(order: string[], edges: Drawn["edges"]): Map<string, Set<string>> {
  const all = new Map(order.map((id) => [id, new Set<string>()]));
  const targets = new Set<string>();
  for (const e of edges) {
    all.get(e.sourceNodeId)?.add(e.targetNodeId);
    targets.add(e.targetNodeId);
  }
  const forward = new Map(order.map((id) => [id, new Set<string>()]));
  const state = new Map<string, "open" | "done">();
  const walk = (id: string) => {
    state.set(id, "open");
    for (const next of all.get(id) ?? []) {
      if (state.get(next) !== "open") {
        forward.get(id)?.add(next);
      }
      if (!state.has(next)) {
        walk(next);
      }
    }
    state.set(id, "done");
  };
  for (const id of [...order.filter((n) => !targets.has(n)), ...order]) {
    if (!state.has(id)) {
      walk(id);
    }
  }
  return forward;
}

/** Each node in the column after the last one that leads to it. A node that nothing leads to is right before what it leads to. */
function columnsOf(order: string[], forward: Map<string, Set<string>>): string[][] {
  const rank = new Map(order.map((id) => [id, 0]));
  const ranked = (id: string) => rank.get(id) ?? 0;
  for (let moved = true; moved; ) {
    moved = false;
    for (const [id, nexts] of forward) {
      for (const next of nexts) {
        if (ranked(next) <= ranked(id)) {
          rank.set(next, ranked(id) + 1);
          moved = true;
        }
      }
    }
  }
  const led = new Set([...forward.values()].flatMap((nexts) => [...nexts]));
  for (const [id, nexts] of forward) {
    if (!led.has(id) && nexts.size > 0) {
      rank.set(id, Math.min(...[...nexts].map(ranked)) - 1);
    }
  }
  const columns: string[][] = [];
  for (const id of order) {
    const column = columns[ranked(id)] ?? [];
    columns[ranked(id)] = column;
    column.push(id);
  }
  return columns.filter(Boolean);
}

/** Orders each column by the mean place of its neighbours, forth and back a few times. */
function untangle(columns: string[][], forward: Map<string, Set<string>>): void {
  const back = new Map<string, Set<string>>();
  for (const [id, nexts] of forward) {
    for (const next of nexts) {
      back.set(next, (back.get(next) ?? new Set()).add(id));
    }
  }
  const places = new Map<string, number>();
  const note = () => {
    for (const column of columns) {
      column.forEach((id, i) => {
        places.set(id, i - (column.length - 1) / 2);
      });
    }
  };
  note();
  const sort = (column: string[], neighbours: Map<string, Set<string>>) => {
    const mean = (id: string) => {
      const near = [...(neighbours.get(id) ?? [])].map((n) => places.get(n) ?? 0);
      return near.length === 0 ? (places.get(id) ?? 0) : near.reduce((a, b) => a + b, 0) / near.length;
    };
    const means = new Map(column.map((id) => [id, mean(id)]));
    column.sort((a, b) => (means.get(a) ?? 0) - (means.get(b) ?? 0));
    note();
  };
  for (let round = 0; round < 3; round++) {
    for (const column of columns) {
      sort(column, back);
    }
    for (const column of [...columns].reverse()) {
      sort(column, forward);
    }
  }
}
