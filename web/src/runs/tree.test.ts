import { expect, test } from "vitest";
import type { RunRow } from "../api/runs";
import { build, compare, find, latest, merged, ticks, visible } from "./tree";

let order = 0;
const row = (id: string, parent: string, from: number, to: number, more: Partial<RunRow> = {}): RunRow => ({
  id,
  parent,
  kind: "agent",
  status: to ? "success" : "running",
  queuedAt: from,
  beganAt: from,
  endedAt: to,
  order: order++,
  ...more,
});
const usage = { inputTokens: 10, outputTokens: 5 };

const rows = [
  row("m", "", 0, 100, { kind: "message", usage }),
  row("orchestrator", "m", 0, 100, { kind: "orchestrator" }),
  row("turn", "orchestrator", 0, 20, { kind: "model", usage, waits: [{ for: "model", from: 5, to: 20 }] }),
  row("c/sub-agents/a", "orchestrator", 20, 90, { taskId: "t1" }),
  row("c/sub-agents/b", "orchestrator", 20, 60, { taskId: "t2", status: "failed", error: "no" }),
  row("a1", "c/sub-agents/a", 20, 90, { kind: "model", usage, costMicros: 7 }),
  row("b1", "c/sub-agents/b", 20, 60, { kind: "tool", status: "failed", error: "no", retries: 2 }),
];

test("totals are those of a row and all below it, and an error counts once", () => {
  const root = build(rows, 100);
  expect(root?.totals).toEqual({ tokens: 45, costMicros: 7, errors: 1, retries: 2, agents: 2 });
});

test("the critical path goes through what ended last", () => {
  const root = build(rows, 100);
  const critical = root && visible(root, new Set(), false).filter((n) => n.critical);
  expect(critical?.map((n) => n.row.id)).toEqual(["m", "orchestrator", "turn", "c/sub-agents/a", "a1"]);
});

test("a task is told by its agent once there is one, and rows without a parent are below the first", () => {
  const root = build(
    [...rows, row("c/tasks/t1", "orchestrator", 20, 0, { taskId: "t1" }), row("x", "gone", 1, 2)],
    100,
  );
  expect(root && find(root, "c/tasks/t1")).toBeUndefined();
  expect(root && find(root, "x")?.parent?.row.id).toBe("m");
});

test("only what failed is shown, with what leads to it; folded rows hide what is below", () => {
  const root = build(rows, 100);
  expect(root && visible(root, new Set(), true).map((n) => n.row.id)).toEqual([
    "m",
    "orchestrator",
    "c/sub-agents/b",
    "b1",
  ]);
  expect(root && visible(root, new Set(["orchestrator"]), false)).toHaveLength(2);
});

test("what is under way lasts until now", () => {
  const root = build(merged(rows, [row("a1", "c/sub-agents/a", 20, 0, { kind: "model" })]), 500);
  expect(root && latest(root)?.row.id).toBe("a1");
  expect(root?.to).toBe(500);
});

test("two runs are paired by what was done", () => {
  const left = build(rows, 100);
  const right = build(
    rows.filter((r) => r.id !== "b1"),
    100,
  );
  const pairs = compare(left, right);
  expect(pairs.find((p) => p.left?.row.id === "b1")?.right).toBeUndefined();
  expect(pairs.find((p) => p.left?.row.id === "a1")?.right?.row.id).toBe("a1");
});

test("the axis has a few round marks", () => {
  expect(ticks(4200)).toEqual([0, 1000, 2000, 3000, 4000]);
  expect(ticks(3_600_000).length).toBeLessThan(8);
});

/** What a run of so many agents with nine steps each takes to build, at best. The time of the processor counts: others use it, too. */
function buildMs(agents: number): number {
  const many = [row("m", "", 0, 1e6, { kind: "message" })];
  for (let a = 0; a < agents; a++) {
    many.push(row(`c/sub-agents/${a}`, "m", a, a + 500, { taskId: `t${a}` }));
    for (let s = 0; s < 9; s++) {
      many.push(row(`${a}/${s}`, `c/sub-agents/${a}`, a + s * 50, a + s * 50 + 40, { kind: "model", usage }));
    }
  }
  const took = [1, 2, 3, 4, 5].map(() => {
    const before = process.cpuUsage();
    expect(build(many, 1e6)?.totals.agents).toBe(agents);
    return process.cpuUsage(before).user / 1000;
  });
  return Math.min(...took);
}

test("ten times the agents take about ten times as long, not a hundred times", () => {
  buildMs(100);
  expect(buildMs(1000)).toBeLessThan(50 * Math.max(buildMs(100), 0.5));
});

test("of a thousand agents at once one stretch is drawn", () => {
  const root = build(
    [rows[0] as RunRow, ...Array.from({ length: 1000 }, (_, a) => row(`c/sub-agents/${a}`, "m", a, a + 500))],
    1e6,
  );
  expect(root?.segments).toEqual([{ for: "agents", from: 0, to: 1499 }]);
});
