import { expect, test } from "vitest";
import type { MetricAnswer } from "../api/metrics";
import { asQuery, linesOf, roundUp } from "./measure";

const minute = 60_000;

function answer(rows: { start: number; group?: Record<string, string>; values: Record<string, number> }[]) {
  const all = rows.map((r) => ({ end: r.start + minute, group: {}, ...r }));
  return {
    name: "a",
    from: 30_000,
    to: 4 * minute,
    windowMs: minute,
    groupBy: [],
    relativeError: 0.01,
    rows: all,
  };
}

test("a line has a place for every window, and a count is 0 where nothing was", () => {
  const lines = linesOf(
    answer([
      { start: 30_000, values: { count: 2, p95: 7 } },
      { start: 2 * minute, values: { count: 1, p95: 3 } },
    ]) as MetricAnswer,
  );
  expect(lines.map((l) => [l.name, l.points.map((p) => p.value)])).toEqual([
    ["p95", [7, undefined, 3, undefined]],
    ["count", [2, 0, 1, 0]],
  ]);
});

test("groups are lines of their own, the largest first", () => {
  const lines = linesOf(
    answer([
      { start: minute, group: { model: "small" }, values: { sum: 2 } },
      { start: minute, group: { model: "large" }, values: { sum: 9 } },
      { start: minute, group: {}, values: { sum: 1 } },
    ]) as MetricAnswer,
  );
  expect(lines.map((l) => l.name)).toEqual(["large · sum", "small · sum", "sum"]);
});

test("a question becomes a query", () => {
  const query = asQuery({ name: "a", range: "week", measure: "percentiles", groupBy: "model" }, 700_000_000);
  expect(query.toString()).toBe(
    "name=a&window=3h&agg=p50%2Cp95%2Cp99&from=95200000&to=700000000&groupBy=model",
  );
});

test("the top of a scale is a round number", () => {
  expect([0, 0.3, 1, 7, 20, 21, 5001].map(roundUp)).toEqual([1, 0.5, 1, 10, 20, 50, 10_000]);
});
