import type { Drawn } from "../api/graphs";
import { freeId, idsOf } from "./drawing";
import { parseNodes } from "./exchange";

/** How far from the original a copy lies. */
const aside = 40;

/** Nodes and the edges between them, as a text that other programs can read. */
export function copied(graph: Drawn, ids: ReadonlySet<string>): string {
  const nodes = graph.nodes.filter((n) => ids.has(n.id));
  const edges = graph.edges.filter((e) => ids.has(e.sourceNodeId) && ids.has(e.targetNodeId));
  return JSON.stringify({ nodes, edges }, null, 2);
}

/** Adds what was copied, under ids that are free. Returns undefined if the text is not part of a graph. */
export function pasted<G extends Drawn>(graph: G, text: string): { graph: G; ids: Set<string> } | undefined {
  const part = parseNodes(text);
  if (!part || part.nodes.length === 0) {
    return undefined;
  }
  const taken = idsOf(graph);
  const names = new Map<string, string>();
  const nodes = part.nodes.map((n) => {
    const id = freeId(taken, n.id);
    taken.add(id);
    names.set(n.id, id);
    return { ...n, id, position: { x: n.position.x + aside, y: n.position.y + aside } };
  });
  const edges = part.edges.flatMap((e) => {
    const [sourceNodeId, targetNodeId] = [names.get(e.sourceNodeId), names.get(e.targetNodeId)];
    return sourceNodeId && targetNodeId ? [{ ...e, sourceNodeId, targetNodeId }] : [];
  });
  return {
    graph: { ...graph, nodes: [...graph.nodes, ...nodes], edges: [...graph.edges, ...edges] },
    ids: new Set(names.values()),
  };
}
