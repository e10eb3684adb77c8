import { expect, test } from "vitest";
import type { Dependency, FoundTask, Plan } from "../api/priorities";
import { dependencyWords, freeTasks, hours, movedWords, toolWords, unplanned } from "./words";

const task = (id: string, text: string, done = false) => ({ id, text, done }) as FoundTask;
const tasks = new Map([task("a", "Write"), task("b", "Review"), task("c", "Print")].map((t) => [t.id, t]));

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

const plan = {
  ordered_task_ids: ["a", "b"],
  execution_waves: [
    { wave_number: 1, task_ids: ["a"] },
    { wave_number: 2, task_ids: ["b"] },
  ],
  dependencies: [needs("b", "a")],
  done: ["d"],
} as unknown as Plan;

test.each([
  [0.25, "15 min"],
  [1, "1 h"],
  [2.54, "2.5 h"],
  [40, "40 h"],
])("%d hours are %s", (h, want) => expect(hours(h)).toBe(want));

test("tools have plain names, and one that is not known keeps its own", () => {
  expect([toolWords("detect-dependencies"), toolWords("magic"), toolWords(null)]).toEqual([
    "Find out what depends on what",
    "magic",
    "Think",
  ]);
});

test("dependencies read in their direction", () => {
  const types = ["prerequisite", "blocks", "related"] as const;
  expect(types.map((type) => dependencyWords(needs("b", "a", type), tasks))).toEqual([
    "“Review” needs “Write” first",
    "“Write” must come before “Review”",
    "“Review” and “Write” are related",
  ]);
  expect(dependencyWords(needs("b", "x"), tasks)).toContain("a task whose document is gone");
});

test("a move says where the task stands, and what is in the way", () => {
  expect(movedWords(plan, "b", 2, tasks)).toBe("“Review” is in wave 2 now.");
  expect(movedWords(plan, "b", 1, tasks)).toBe("“Review” is in wave 2, not earlier: it needs “Write” first.");
  expect(movedWords(plan, "a", 3, tasks)).toBe("“Write” is in wave 1: that is where it fits.");
});

test("open tasks that a plan does not know are found", () => {
  const all = [...tasks.values(), task("d", "Done in the plan"), task("e", "Done", true)];
  expect(unplanned(plan, all).map((t) => t.id)).toEqual(["c"]);
});

test("agents are given what no agent works on", () => {
  const agents = new Map(
    ["pending", "running", "waiting", "success", "failed", undefined].map((status) => {
      const id = status ?? "new";
      return [id, { ...task(id, id), status }];
    }),
  );
  expect(freeTasks([...agents.keys(), "unknown"], agents)).toEqual(["success", "failed", "new"]);
});
