import { describe, expect, test } from "vitest";
import type { Doc } from "../api/graphs";
import { layout } from "./layout";
import { start } from "./sample";

const at = (doc: Doc, sizes = new Map()) => {
  const places = layout(doc, sizes);
  return (id: string) => places.get(id) ?? { x: Number.NaN, y: Number.NaN };
};

describe("layout", () => {
  test("each node is right of all that lead to it", () => {
    const doc = start(
      ["c map", "a on-start", "b map", "d output"],
      ["a.text>b.value", "b.text>c.value", "a.text>c.value", "c.text>d.value"],
    );
    const place = at(doc);
    expect(place("a").x).toBeLessThan(place("b").x);
    expect(place("b").x).toBeLessThan(place("c").x);
    expect(place("c").x).toBeLessThan(place("d").x);
  });

  test("what only begins stands right before what it leads to", () => {
    const doc = start(
      ["a on-start", "b map", "c map", "k on-start"],
      ["a.text>b.value", "b.text>c.value", "k.text>c.value"],
    );
    const place = at(doc);
    expect(place("k").x).toBe(place("b").x);
  });

  test("no two nodes overlap, whatever their sizes", () => {
    const ids = Array.from({ length: 12 }, (_, i) => `n${i}`);
    const doc = start(
      ids.map((id) => `${id} map`),
      ids.slice(1).map((id, i) => `n${Math.floor(i / 3)}.text>${id}.value`),
    );
    const sizes = new Map(ids.map((id, i) => [id, { width: 100 + i * 20, height: 60 + ((i * 37) % 90) }]));
    const place = at(doc, sizes);
    for (const a of ids) {
      for (const b of ids.filter((id) => id > a)) {
        const [p, q, s, t] = [place(a), place(b), sizes.get(a), sizes.get(b)];
        const apart =
          p.x + (s?.width ?? 0) <= q.x ||
          q.x + (t?.width ?? 0) <= p.x ||
          p.y + (s?.height ?? 0) <= q.y ||
          q.y + (t?.height ?? 0) <= p.y;
        expect(apart, `${a} and ${b}`).toBe(true);
      }
    }
  });

  test("lines that need not cross do not", () => {
    const doc = start(
      ["s on-start", "a map", "b map", "y output", "x output"],
      ["s.text>a.value", "s.text>b.value", "a.text>x.value", "b.text>y.value"],
    );
    const place = at(doc);
    expect(Math.sign(place("a").y - place("b").y)).toBe(Math.sign(place("x").y - place("y").y));
  });

  test("circles, loose nodes and edges into nowhere are no trouble", () => {
    const doc = start(
      ["a map", "b map", "c map", "loose map"],
      ["a.text>b.value", "b.text>c.value", "c.text>a.value", "c.text>c.value", "c.text>gone.value"],
    );
    const place = at(doc);
    expect(place("a").x).toBeLessThan(place("b").x);
    expect(place("b").x).toBeLessThan(place("c").x);
    expect(place("loose").x).toBe(0);
    expect(layout(start([])).size).toBe(0);
  });

  test("300 nodes take no time that one notices", () => {
    const ids = Array.from({ length: 300 }, (_, i) => `n${i} map`);
    const edges = Array.from({ length: 299 }, (_, i) => `n${i}.text>n${i + 1}.value`);
    expect(layout(start(ids, edges)).get("n299")?.x).toBe(299 * 370);
  });
});
