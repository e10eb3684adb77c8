import { expect, test } from "vitest";
import type { SubAgent, Task } from "../api/types";
import { above, below, helpersOf, titleOf, used } from "./tree";

let seq = 0;

const task = (id: string, parent?: string, more: Partial<Task> = {}): Task => {
  seq++;
  return {
    id,
    chatId: "c",
    version: 1,
    seq,
    createdSeq: seq,
    createdAt: seq,
    updatedAt: seq,
    type: "agent",
    name: "agent:general",
    instruction: `Do ${id}`,
    status: "running",
    subAgentId: `of-${id}`,
    parentAgentId: parent && `of-${parent}`,
    ...more,
  };
};

// Two parents with two children each, whose children were created in turn, and one below.
const tasks = [
  task("a"),
  task("b"),
  task("a1", "a"),
  task("b1", "b"),
  task("a2", "a"),
  task("b2", "b"),
  task("a2x", "a2"),
];
const [a, b] = tasks as [Task, Task];
const ids = (list: readonly Task[]) => list.map((t) => t.id);

test("each task has its own helpers, in the order in which they were created", () => {
  expect(ids(helpersOf(tasks, a))).toEqual(["a1", "a2"]);
  expect(ids(helpersOf(tasks, b))).toEqual(["b1", "b2"]);
  expect(ids(below(tasks, a))).toEqual(["a1", "a2", "a2x"]);
  expect(helpersOf(tasks, { ...a, subAgentId: undefined })).toEqual([]);
});

test("a nested task leads back to all that it works for, the topmost first", () => {
  expect(ids(above(tasks, tasks.at(-1)))).toEqual(["a", "a2"]);
  expect(above(tasks, a)).toEqual([]);
  expect(above(tasks, undefined)).toEqual([]);
});

test("tasks that lie in a circle are met once", () => {
  const circle = [task("x", "y"), task("y", "x"), task("z", "z")];
  const [x, , z] = circle as [Task, Task, Task];
  expect(ids(below(circle, x))).toEqual(["y"]);
  expect(below(circle, z)).toEqual([]);
  expect(ids(above(circle, x))).toEqual(["x", "y"]);
});

test("the figures of a tree are those of its agents, or of tasks whose agent is not there yet", () => {
  const usage = { inputTokens: 10, outputTokens: 5 };
  const agents = [{ taskId: "a1", usage, costMicros: 7 }] as SubAgent[];
  const tree = [
    a,
    task("a1", "a", { usage: { inputTokens: 1, outputTokens: 1 } }),
    task("a2", "a", { usage }),
  ];
  expect(used(tree, agents)).toEqual({ tokens: 30, micros: 7 });
});

test("a task is called by its title or the first words of its instruction, a tool by its name", () => {
  expect(titleOf(task("t", undefined, { title: "Facts about plums" }))).toBe("Facts about plums");
  expect(titleOf(task("t", undefined, { instruction: "plum ".repeat(50) }))).toBe(
    `${"plum ".repeat(15)}plum…`,
  );
  expect(titleOf(task("t", undefined, { instruction: "\n Find facts \nabout plums" }))).toBe("Find facts");
  expect(titleOf(task("t", undefined, { instruction: " " }))).toBe("General");
  expect(titleOf(task("t", undefined, { type: "tool", name: "tool:calculator" }))).toBe("Calculator");
});
