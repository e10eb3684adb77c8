import { expect, test } from "vitest";
import { brief, momentAt, stepsOf, told } from "./replay";
import { start, turn } from "./sample";

const doc = start(["s on-start", "a map", "b map"], ["s.text>a.value", "s.text>b.value", "a.text>b.value"]);
/** a and b run at the same time, and b ends first. */
const turns = [
  turn(1, "s", [0, 0], { text: "hi" }),
  turn(2, "a", [0, 9], { text: "A" }),
  turn(3, "b", [1, 5]),
];

test("steps come in the order of what happened", () => {
  const words = stepsOf(turns).map(({ turn: t, kind }) => `${t.nodeId} ${kind}`);
  expect(words).toEqual(["s began", "s ended", "a began", "b began", "b ended", "a ended"]);
});

test("a moment shows the nodes and the data as they were then", () => {
  const steps = stepsOf(turns);
  expect(momentAt(doc, steps, 0).nodes.size).toBe(0);
  const middle = momentAt(doc, steps, 5);
  expect([...middle.nodes]).toEqual([
    ["s", "completed"],
    ["a", "running"],
    ["b", "completed"],
  ]);
  expect([...middle.values]).toEqual([
    ["s.text>a.value", "hi"],
    ["s.text>b.value", "hi"],
  ]);
  expect(middle.turns.find((t) => t.nodeId === "a")).toMatchObject({
    status: "running",
    outputs: {},
    endTime: null,
  });
  const end = momentAt(doc, steps);
  expect(end.values.get("a.text>b.value")).toBe("A");
  expect(end.nodes.get("a")).toBe("completed");
});

test("a node that has a second turn shows that one", () => {
  const steps = stepsOf([...turns, turn(4, "a", [10])]);
  expect(momentAt(doc, steps).nodes.get("a")).toBe("running");
  expect(momentAt(doc, steps).turns).toHaveLength(4);
});

test("events are joined, whatever comes twice or late", () => {
  const run = {
    id: "x",
    userId: "u",
    agentGraphId: "g",
    name: "",
    status: "running",
    error: null,
    startTime: 0,
    endTime: null,
    createdAt: 0,
    updatedAt: 0,
    version: 1,
  };
  let now = told({ run, turns: [] }, "node_began", turn(2, "a", [0]));
  now = told(now, "node_began", turn(1, "s", [0]));
  now = told(now, "node_completed", turn(2, "a", [0, 9]));
  const again = told(now, "node_began", turn(2, "a", [0]));
  expect(again).toBe(now);
  expect(now.turns.map((t) => `${t.number} ${t.status}`)).toEqual(["1 running", "2 completed"]);
  now = told(now, "execution_failed", { ...run, status: "failed", endTime: 9 });
  expect(now.run).toMatchObject({ status: "failed", endTime: 9 });
});

test.each([
  ["a\n  b", "a b"],
  [{ a: 1 }, '{"a":1}'],
  [undefined, ""],
  ["x".repeat(30), `${"x".repeat(23)}…`],
])("%j is briefly %j", (value, want) => {
  expect(brief(value)).toBe(want);
});
