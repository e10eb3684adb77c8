import type { Doc, GraphEdge, NodeType, Turn } from "../api/graphs";

/** Small graphs for tests. */

const port = (text: string) => {
  const [id = "", type = "", required] = text.split(" ");
  return { id, type, ...(required && { required: true }) };
};

const typeOf = (id: string, inputs: string[], outputs: string[]): [string, NodeType] => [
  id,
  {
    id,
    description: `What ${id} does.`,
    effect: "pure",
    inputs: inputs.map(port),
    outputs: outputs.map(port),
    parameters: {},
  },
];

export const types = new Map([
  typeOf("on-start", [], ["signal signal", "input json", "text string"]),
  typeOf("output", ["run signal", "value json required"], ["done signal"]),
  typeOf("map", ["run signal", "value json required"], ["done signal", "result json", "text string"]),
]);

/** "a.out>b.in" as an edge. */
export function edge(text: string): GraphEdge {
  const [sourceNodeId = "", sourcePortId = "", targetNodeId = "", targetPortId = ""] = text.split(/[.>]/);
  return { sourceNodeId, sourcePortId, targetNodeId, targetPortId };
}

/** A graph of nodes "id type" and edges "a.out>b.in". */
export function start(nodes: string[], edges: string[] = []): Doc {
  return {
    name: "A graph",
    description: "",
    nodes: nodes.map((text, i) => {
      const [id = "", nodeId = ""] = text.split(" ");
      return { id, nodeId, position: { x: i * 100, y: 0 } };
    }),
    edges: edges.map(edge),
  };
}

export const turn = (number: number, nodeId: string, times: [number, number?], outputs = {}): Turn => ({
  executionId: "x",
  number,
  nodeId,
  nodeType: "map",
  status: times[1] === undefined ? "running" : "completed",
  inputs: {},
  outputs,
  error: null,
  recorded: false,
  attempts: 1,
  startTime: times[0],
  endTime: times[1] ?? null,
});
