import { expect, test } from "vitest";
import { copied, pasted } from "./clipboard";
import { keyOf } from "./drawing";
import { exported, fileName, imported } from "./exchange";
import { start } from "./sample";

const doc = start(["s on-start", "m map", "o output"], ["s.text>m.value", "m.text>o.value"]);

test("copies have free names, lie aside, and keep the edges between them", () => {
  const result = pasted(doc, copied(doc, new Set(["m", "o"])));
  expect([...(result?.ids ?? [])]).toEqual(["m-2", "o-2"]);
  expect(result?.graph.edges.map(keyOf)).toEqual(["s.text>m.value", "m.text>o.value", "m-2.text>o-2.value"]);
  expect(result?.graph.nodes.at(-1)?.position).toEqual({ x: 240, y: 40 });
});

test("what was copied goes into another graph under its own names", () => {
  const result = pasted(start([]), copied(doc, new Set(["m"])));
  expect(result?.graph.nodes.map((n) => n.id)).toEqual(["m"]);
  expect(result?.graph.edges).toEqual([]);
});

test.each([
  "",
  "hello",
  "[]",
  "{}",
  '{"nodes":[1],"edges":[]}',
  '{"nodes":[],"edges":[]}',
  "null",
])("%j is no part of a graph", (text) => {
  expect(pasted(doc, text)).toBeUndefined();
});

test("what is exported is imported as it was", () => {
  const full = {
    ...doc,
    name: "Größe: 3",
    description: "d",
    maxResolutions: 7,
    nodes: doc.nodes.map((n) => ({ ...n, parameters: { a: [1, { b: null }] }, retry: { attempts: 2 } })),
  };
  expect(imported(exported(full))).toEqual(full);
  expect(fileName(full.name)).toBe("gr-e-3.json");
  expect(fileName("…")).toBe("graph.json");
});

test("an import without names or places gets them, and anything else is refused with words", () => {
  const bare = imported('{"nodes":[{"id":"a","nodeId":"output"}],"edges":[]}');
  expect(bare).toMatchObject({
    name: "Imported graph",
    description: "",
    nodes: [{ position: { x: 0, y: 0 } }],
  });
  expect(() => imported("no")).toThrow("not a graph");
  expect(() => imported('{"nodes":[{"id":1}],"edges":[]}')).toThrow("not a graph");
});
