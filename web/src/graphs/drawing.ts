import type { Doc, Drawn, GraphEdge, GraphNode, NodeType } from "../api/graphs";

/** What can be done to a graph. Nothing here changes what it is given. */

export const keyOf = (e: GraphEdge) =>
  `${e.sourceNodeId}.${e.sourcePortId}>${e.targetNodeId}.${e.targetPortId}`;

/** Whether an input takes what an output gives, as the server checks it. */
export const fits = (output: string, input: string) =>
  input === output || (input === "json" && output !== "signal");

export type Types = ReadonlyMap<string, NodeType>;

export function portTypes(graph: Drawn, types: Types, edge: GraphEdge): { from?: string; to?: string } {
  const typeOf = (id: string) => types.get(graph.nodes.find((n) => n.id === id)?.nodeId ?? "");
  const from = typeOf(edge.sourceNodeId)?.outputs.find((p) => p.id === edge.sourcePortId)?.type;
  const to = typeOf(edge.targetNodeId)?.inputs.find((p) => p.id === edge.targetPortId)?.type;
  return { from, to };
}

/** Whether an edge can be drawn: both ports are there, fit, and are not connected yet. */
export function connectable(graph: Drawn, types: Types, edge: GraphEdge): boolean {
  const { from, to } = portTypes(graph, types, edge);
  return (
    from !== undefined &&
    to !== undefined &&
    fits(from, to) &&
    !graph.edges.some((e) => keyOf(e) === keyOf(edge))
  );
}

export function connect<G extends Drawn>(graph: G, types: Types, edge: GraphEdge): G {
  return connectable(graph, types, edge) ? { ...graph, edges: [...graph.edges, edge] } : graph;
}

/** An id like the one that is wanted, and that no node has. */
export function freeId(taken: ReadonlySet<string>, wanted: string): string {
  if (!taken.has(wanted)) {
    return wanted;
  }
  const stem = wanted.replace(/-\d+$/, "");
  for (let n = 2; ; n++) {
    if (!taken.has(`${stem}-${n}`)) {
      return `${stem}-${n}`;
    }
  }
}

export const idsOf = (graph: Drawn) => new Set(graph.nodes.map((n) => n.id));

export function addNode<G extends Drawn>(graph: G, type: string, position: GraphNode["position"]) {
  const id = freeId(idsOf(graph), type);
  return { id, graph: { ...graph, nodes: [...graph.nodes, { id, nodeId: type, position }] } };
}

/** Without these nodes, all that is connected with them, and these edges. */
export function remove<G extends Drawn>(graph: G, nodes: ReadonlySet<string>, edges: ReadonlySet<string>): G {
  return {
    ...graph,
    nodes: graph.nodes.filter((n) => !nodes.has(n.id)),
    edges: graph.edges.filter(
      (e) => !nodes.has(e.sourceNodeId) && !nodes.has(e.targetNodeId) && !edges.has(keyOf(e)),
    ),
  };
}

export function move<G extends Drawn>(graph: G, to: ReadonlyMap<string, GraphNode["position"]>): G {
  const moved = ({ x, y }: GraphNode["position"]) => ({ x: Math.round(x), y: Math.round(y) });
  return {
    ...graph,
    nodes: graph.nodes.map((n) => {
      const position = to.get(n.id);
      return position ? { ...n, position: moved(position) } : n;
    }),
  };
}

export function change<G extends Drawn>(graph: G, id: string, fields: Partial<GraphNode>): G {
  return { ...graph, nodes: graph.nodes.map((n) => (n.id === id ? { ...n, ...fields } : n)) };
}

/** What is undefined is not a parameter any more. */
export function setParameter<G extends Drawn>(graph: G, id: string, name: string, value: unknown): G {
  const node = graph.nodes.find((n) => n.id === id);
  const { [name]: _, ...others } = node?.parameters ?? {};
  const parameters = value === undefined ? others : { ...others, [name]: value };
  return change(graph, id, { parameters });
}

export const isId = (text: string) => /^[A-Za-z0-9_.-]{1,100}$/.test(text) && text !== "." && text !== "..";

/** Gives a node another id, unless another node has it. Edges follow. */
export function rename<G extends Drawn>(graph: G, id: string, to: string): G {
  if (!isId(to) || idsOf(graph).has(to)) {
    return graph;
  }
  const end = (node: string) => (node === id ? to : node);
  return {
    ...graph,
    nodes: graph.nodes.map((n) => (n.id === id ? { ...n, id: to } : n)),
    edges: graph.edges.map((e) => ({
      ...e,
      sourceNodeId: end(e.sourceNodeId),
      targetNodeId: end(e.targetNodeId),
    })),
  };
}

/** What of a graph is saved, exported and compared, without the fields that the server adds. */
export function docOf({ name, description, nodes, edges, maxResolutions }: Doc): Doc {
  return {
    name,
    description,
    nodes: nodes.map(({ id, nodeId, position, parameters, retry }) => ({
      id,
      nodeId,
      position: { x: position?.x ?? 0, y: position?.y ?? 0 },
      ...(parameters && Object.keys(parameters).length > 0 && { parameters }),
      ...(retry && { retry }),
    })),
    edges: edges.map(({ sourceNodeId, sourcePortId, targetNodeId, targetPortId }) => ({
      sourceNodeId,
      sourcePortId,
      targetNodeId,
      targetPortId,
    })),
    maxResolutions: maxResolutions || 100,
  };
}

export const same = (a: Doc, b: Doc) => JSON.stringify(docOf(a)) === JSON.stringify(docOf(b));

/** Whether two graphs do the same, wherever their nodes are drawn. */
export function sameWork(a: Drawn, b: Drawn): boolean {
  const work = (g: Drawn) => {
    const { nodes, edges } = docOf({ ...g, name: "", description: "" });
    return JSON.stringify([nodes.map((n) => ({ ...n, position: undefined })), edges]);
  };
  return work(a) === work(b);
}
