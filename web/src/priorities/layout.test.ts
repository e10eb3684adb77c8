import { expect, test } from "vitest";
import type { Dependency, Plan } from "../api/priorities";
import { linesOf, markOf, waveOf } from "./layout";

const needs = (
  source: string,
  target: string,
  type: Dependency["relationship_type"] = "prerequisite",
): Dependency => ({
  source_task_id: source,
  target_task_id: target,
  relationship_type: type,
  confidence: 0.9,
  detection_method: "ai_inference",
});

const box = (left: number, top: number) => ({ left, top, width: 100, height: 40 });
const boxes = new Map([
  ["a", box(20, 0)],
  ["b", box(220, 100)],
  ["c", box(420, 0)],
  ["below", box(20, 200)],
]);

test("a line goes from what comes first to what comes after, for the one card alone", () => {
  const all = [needs("b", "a"), needs("c", "b"), needs("c", "a")];
  expect(linesOf("b", all, boxes)).toEqual([
    { from: "a", to: "b", path: "M120 20C170 20 170 120 220 120" },
    { from: "b", to: "c", path: "M320 120C370 120 370 20 420 20" },
  ]);
});

test("where cards stand below each other the line goes beside them", () => {
  expect(linesOf("a", [needs("below", "a")], boxes)).toEqual([
    { from: "a", to: "below", path: "M20 20C6 20 6 220 20 220" },
  ]);
});

test("related tasks and cards that are not there have no line", () => {
  expect(linesOf("a", [needs("b", "a", "related"), needs("gone", "a")], boxes)).toEqual([]);
});

test("cards are marked by what they are to the one that is looked at", () => {
  const all = [needs("b", "a"), needs("c", "b", "blocks"), needs("b", "d", "related")];
  const marks = ["a", "b", "c", "d"].map((id) => markOf(id, "b", all));
  expect(marks).toEqual(["before", "self", "after", undefined]);
  expect(markOf("a", undefined, all)).toBeUndefined();
});

test("a task stands in the wave that names it", () => {
  const wave = (wave_number: number, ...task_ids: string[]) => ({
    wave_number,
    task_ids,
    parallel_execution: true,
    estimated_duration_hours: null,
  });
  const plan = { execution_waves: [wave(1, "a"), wave(2, "b", "c")] } as unknown as Plan;
  expect(["a", "c", "x"].map((id) => waveOf(plan, id))).toEqual([1, 2, 0]);
});
