import { expect, test } from "vitest";
import { edgeOf, edgesOf, nodesOf, nothing, placed, summaryOf } from "./flow";
import { byNode, countProblems, listProblems } from "./problems";
import { momentAt, stepsOf } from "./replay";
import { edge, start, turn, types } from "./sample";

const doc = start(["s on-start", "o output"], ["s.text>o.value", "s.signal>o.value", "s.text>o.value"]);
const found = listProblems(doc, {
  errors: [{ nodeId: "o", edgeIndex: 1, code: "port-type-mismatch", message: "does not fit" }],
  warnings: [{ nodeId: "", code: "no-start", message: "nothing begins" }],
});
const shown = {
  types,
  selection: { ...nothing, nodes: new Set(["o"]) },
  problems: byNode(found),
  moment: momentAt(doc, stepsOf([turn(1, "s", [0, 1], { text: "hi", signal: true }), turn(2, "o", [1])])),
  sizes: new Map(),
};

test("problems are at their node and edge, and counted", () => {
  expect(found.map((f) => [f.severity, f.edge])).toEqual([
    ["error", "s.signal>o.value"],
    ["warning", undefined],
  ]);
  expect(countProblems(found)).toBe("1 error, 1 warning");
  expect(countProblems([])).toBe("No problems");
  expect(byNode(found).get("o")).toHaveLength(1);
});

test("nodes are drawn with their problems and their part in the run", () => {
  const [s, o] = nodesOf(doc, shown);
  expect(s).toMatchObject({ position: { x: 0, y: 0 }, selected: false, data: { status: "completed" } });
  expect(o).toMatchObject({ position: { x: 100, y: 0 }, selected: true, data: { status: "running" } });
  expect(o?.ariaLabel).toBe("o, output, running, does not fit");
});

test("a node that is dragged is where it is dragged, and the others are not drawn anew", () => {
  const nodes = nodesOf(doc, shown);
  expect(placed(nodes, new Map())).toBe(nodes);
  const [s, o] = placed(nodes, new Map([["s", { x: 7, y: 8 }]]));
  expect(s).toEqual({ ...nodes[0], position: { x: 7, y: 8 } });
  expect(s?.data).toBe(nodes[0]?.data);
  expect(o).toBe(nodes[1]);
});

test("edges are drawn once, with the data that went over them", () => {
  const edges = edgesOf(doc, found, shown);
  expect(edges.map((e) => e.id)).toEqual(["s.text>o.value", "s.signal>o.value"]);
  expect(edges[0]).toMatchObject({
    animated: true,
    data: { type: "string", isWrong: false, value: { is: "hi" } },
  });
  expect(edges[1]?.data?.isWrong).toBe(true);
  const before = edgesOf(doc, found, { ...shown, moment: undefined });
  expect(before[0]).toMatchObject({ animated: false, data: { value: undefined } });
});

test("what the canvas connects is an edge of the graph", () => {
  const ends = { source: "s", sourceHandle: "text", target: "o", targetHandle: "value" };
  expect(edgeOf(ends)).toEqual(edge("s.text>o.value"));
});

test("a node shows the parameter that tells most", () => {
  const node = { id: "a", nodeId: "x", position: { x: 0, y: 0 } };
  expect(summaryOf({ ...node, parameters: { system: "Be brief.", name: "answer" } })).toBe("answer");
  expect(summaryOf({ ...node, parameters: { tools: ["a", "b*"] } })).toBe("a, b*");
  expect(summaryOf(node)).toBe("");
});
