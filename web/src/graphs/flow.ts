import type { Drawn, GraphEdge, GraphNode } from "../api/graphs";
import { words } from "../words/graphs";
import { keyOf, portTypes, type Types } from "./drawing";
import type { EdgeView } from "./edge";
import type { NodeView, Pulled } from "./node";
import type { Found } from "./problems";
import type { Moment } from "./replay";

const say = words.canvas;

/** What is chosen: ids of nodes and keys of edges. */
export interface Selection {
  nodes: ReadonlySet<string>;
  edges: ReadonlySet<string>;
}

export const nothing: Selection = { nodes: new Set(), edges: new Set() };

interface Shown {
  types: Types;
  selection: Selection;
  problems: ReadonlyMap<string, Found[]>;
  /** What is known of a run. */
  moment?: Moment;
  /** How large nodes are. */
  sizes: ReadonlyMap<string, { width: number; height: number }>;
  pulled?: Pulled;
}

/** A graph as the canvas draws it. */
export function nodesOf(graph: Drawn, shown: Shown): NodeView[] {
  return graph.nodes.map((n) => {
    const problems = shown.problems.get(n.id) ?? [];
    const status = shown.moment?.nodes.get(n.id);
    return {
      id: n.id,
      type: "graph",
      position: n.position,
      measured: shown.sizes.get(n.id),
      selected: shown.selection.nodes.has(n.id),
      ariaLabel: [n.id, n.nodeId, status, ...problems.map((p) => p.problem.message)]
        .filter(Boolean)
        .join(", "),
      data: {
        id: n.id,
        typeId: n.nodeId,
        type: shown.types.get(n.nodeId),
        summary: summaryOf(n),
        problems,
        status,
        pulled: shown.pulled,
      },
    };
  });
}

/** Nodes where they are while some are dragged. The others stay what they were, so that they are not drawn anew at each step. */
export function placed(nodes: NodeView[], dragged: ReadonlyMap<string, GraphNode["position"]>): NodeView[] {
  if (dragged.size === 0) {
    return nodes;
  }
  return nodes.map((n) => {
    const position = dragged.get(n.id);
    return position ? { ...n, position } : n;
  });
}

export function edgesOf(graph: Drawn, found: readonly Found[], shown: Shown): EdgeView[] {
  const wrong = new Set(found.flatMap((f) => (f.severity === "error" && f.edge ? [f.edge] : [])));
  const values = shown.moment?.values;
  return unique(graph.edges).map((e) => {
    const id = keyOf(e);
    const went = values?.has(id) ?? false;
    return {
      id,
      type: "graph",
      source: e.sourceNodeId,
      sourceHandle: e.sourcePortId,
      target: e.targetNodeId,
      targetHandle: e.targetPortId,
      selected: shown.selection.edges.has(id),
      animated: went && shown.moment?.nodes.get(e.targetNodeId) === "running",
      ariaLabel: say.edge(say.port(e.sourcePortId, e.sourceNodeId), say.port(e.targetPortId, e.targetNodeId)),
      data: {
        type: portTypes(graph, shown.types, e).from,
        isWrong: wrong.has(id),
        value: went ? { is: values?.get(id) } : undefined,
      },
    };
  });
}

/** An edge that is there twice is drawn once; the problems tell of it. */
const unique = (edges: readonly GraphEdge[]) => [...new Map(edges.map((e) => [keyOf(e), e])).values()];

export interface Ends {
  source: string | null;
  sourceHandle?: string | null;
  target: string | null;
  targetHandle?: string | null;
}

/** What the canvas connected, as an edge of the graph. */
export const edgeOf = (c: Ends): GraphEdge => ({
  sourceNodeId: c.source ?? "",
  sourcePortId: c.sourceHandle ?? "",
  targetNodeId: c.target ?? "",
  targetPortId: c.targetHandle ?? "",
});

/** The parameter that tells most of a node. */
export function summaryOf({ parameters = {} }: GraphNode): string {
  for (const name of [
    "name",
    "expression",
    "value",
    "role",
    "url",
    "system",
    "prompt",
    "instruction",
    "label",
  ]) {
    const value = parameters[name];
    if (typeof value === "string" && value) {
      return value.slice(0, 80);
    }
  }
  return Array.isArray(parameters.tools) ? parameters.tools.join(", ") : "";
}
