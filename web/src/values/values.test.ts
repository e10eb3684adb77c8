import { describe, expect, test } from "vitest";
import { children, firstOpen, lines, opens, root } from "./nodes";
import { shapeOf } from "./shape";

describe("a text is shown as what it is", () => {
  test.each([
    ['{"a": {"b": 1}}', "tree"],
    ['[{"a": 1, "b": "x"}, {"a": 2, "c": null}]', "table"],
    ['[{"a": [1]}]', "tree"],
    ["[1, 2]", "tree"],
    ["[]", "tree"],
    ["--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b", "diff"],
    ["diff --git a/x b/x\nnew file", "diff"],
    ["{not json}", "text"],
    ["42", "text"],
    ["- a list\n- of things", "text"],
  ])("%j is a %s", (text, kind) => {
    expect(shapeOf(text).kind).toBe(kind);
  });

  test("a table has the columns of all its rows", () => {
    expect(shapeOf('[{"a": 1, "b": 2}, {"c": 3}]')).toMatchObject({ columns: ["a", "b", "c"] });
  });
});

describe("the tree of a value", () => {
  test("names each place as a program would", () => {
    const top = root({ items: [{ "a b": 1 }] });
    const open = firstOpen(top);
    expect(lines(top, open).map((n) => n.path)).toEqual(["$", "$.items", "$.items[0]", '$.items[0]["a b"]']);
  });

  test("shows many entries in slices, each of which opens", () => {
    const top = root(Array.from({ length: 25_000 }, (_, i) => i));
    const parts = children(top);
    expect(parts).toHaveLength(84);
    expect(parts[0]?.slice).toEqual({ from: 0, to: 300 });
    const inner = children(parts[0] as (typeof parts)[0]);
    expect(inner.map((n) => n.slice)).toEqual([
      { from: 0, to: 100 },
      { from: 100, to: 200 },
      { from: 200, to: 300 },
    ]);
    const leaves = children(inner[1] as (typeof inner)[0]);
    expect(leaves[0]).toMatchObject({ path: "$[100]", value: 100 });
    expect(new Set([...parts, ...inner, ...leaves].map((n) => n.id)).size).toBe(84 + 3 + 100);
  });

  test("opens by itself as far as it is small", () => {
    const row = { a: 1, b: 2, c: 3, d: 4 };
    const top = root({ list: Array.from({ length: 20 }, () => row), empty: [], text: "x" });
    const shown = lines(top, firstOpen(top));
    expect(shown.length).toBeLessThanOrEqual(45);
    expect(shown.some((n) => n.path === "$.list[0].a")).toBe(true);
    expect(shown.some((n) => n.path === "$.list[19].a")).toBe(false);
    expect(opens(children(top)[1] as (typeof shown)[0])).toBe(false);
  });
});
