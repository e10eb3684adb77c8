import { describe, expect, test } from "vitest";
import type { Doc } from "../api/graphs";
import {
  addNode,
  connect,
  connectable,
  docOf,
  fits,
  isId,
  keyOf,
  move,
  remove,
  rename,
  same,
  sameWork,
  setParameter,
} from "./drawing";
import { edge, start, types } from "./sample";

describe("ports", () => {
  test.each([
    ["string", "string", true],
    ["string", "json", true],
    ["signal", "json", false],
    ["json", "string", false],
    ["signal", "signal", true],
  ])("an output of %s into an input of %s: %s", (output, input, can) => {
    expect(fits(output, input)).toBe(can);
  });

  test("an edge is drawn between ports that are there and fit, once", () => {
    const doc = start(["s on-start", "o output"]);
    const good = edge("s.text>o.value");
    expect(connectable(doc, types, good)).toBe(true);
    const drawn = connect(doc, types, good);
    expect(drawn.edges).toEqual([good]);
    expect(connect(drawn, types, good)).toBe(drawn);
    for (const bad of ["s.text>o.run", "s.signal>o.value", "s.none>o.value", "s.text>gone.value"]) {
      expect(connect(doc, types, edge(bad))).toBe(doc);
    }
  });
});

test("a node gets a name that is free", () => {
  const doc = start(["output output", "output-2 output"]);
  const { id, graph } = addNode(doc, "output", { x: 1, y: 2 });
  expect(id).toBe("output-3");
  expect(graph.nodes.at(-1)).toEqual({ id, nodeId: "output", position: { x: 1, y: 2 } });
  expect(doc.nodes).toHaveLength(2);
});

test("with a node go its edges, and an edge goes alone", () => {
  const doc = start(["s on-start", "o output", "p output"], ["s.text>o.value", "s.text>p.value"]);
  expect(remove(doc, new Set(["o"]), new Set()).edges.map(keyOf)).toEqual(["s.text>p.value"]);
  const less = remove(doc, new Set(), new Set(["s.text>o.value"]));
  expect([less.nodes.length, less.edges.map(keyOf)]).toEqual([3, ["s.text>p.value"]]);
});

test("nodes move to whole numbers, and only those that do", () => {
  const doc = start(["s on-start", "o output"]);
  const [s, o] = move(doc, new Map([["o", { x: 1.4, y: -2.6 }]])).nodes;
  expect(s).toBe(doc.nodes[0]);
  expect(o?.position).toEqual({ x: 1, y: -3 });
});

test("a parameter is set and taken away", () => {
  const doc = setParameter(start(["o output"]), "o", "name", "answer");
  expect(doc.nodes[0]?.parameters).toEqual({ name: "answer" });
  expect(setParameter(doc, "o", "name", undefined).nodes[0]?.parameters).toEqual({});
});

test("a new name takes the edges along, unless it is taken or none", () => {
  const doc = start(["s on-start", "o output"], ["s.text>o.value"]);
  expect(rename(doc, "o", "end").edges.map(keyOf)).toEqual(["s.text>end.value"]);
  expect(rename(doc, "o", "s")).toBe(doc);
  expect(rename(doc, "o", "a/b")).toBe(doc);
  expect([isId("a-1._B"), isId(""), isId(".."), isId("ä")]).toEqual([true, false, false, false]);
});

test("what the server adds makes no difference, and where nodes are drawn none to what a graph does", () => {
  const doc = start(["s on-start", "o output"], ["s.text>o.value"]);
  const saved = {
    ...doc,
    id: "g",
    version: 3,
    maxResolutions: 100,
    nodes: doc.nodes.map((n) => ({ ...n, parameters: {} })),
  };
  expect(same(doc, saved as Doc)).toBe(true);
  const moved = move(doc, new Map([["o", { x: 9, y: 9 }]]));
  expect([same(doc, moved), sameWork(doc, moved)]).toEqual([false, true]);
  expect(sameWork(doc, setParameter(doc, "o", "name", "x"))).toBe(false);
  expect(docOf(saved as Doc)).not.toHaveProperty("version");
});
