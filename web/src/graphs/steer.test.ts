import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Comparison, compareRuns, pauseRun, rerun, resumeRun, saveGraph } from "../api/graphs";
import { differencesOf, timesOf } from "./comparison";
import { told } from "./replay";
import { steeringOf } from "./steer";

const run = {
  id: "x",
  userId: "u",
  agentGraphId: "g",
  name: "",
  status: "running",
  error: null,
  startTime: 0,
  endTime: null as number | null,
  createdAt: 0,
  updatedAt: 0,
  version: 1,
};

test.each([
  ["running", "pause cancel"],
  ["paused", "resume cancel"],
  ["completed", "rerun"],
  ["failed", "rerun"],
  ["cancelled", "rerun"],
])("a run that is %s can be: %s", (status, can) => {
  const steering = steeringOf({ ...run, status });
  const allowed = Object.entries(steering).flatMap(([name, is]) => (is ? [name] : []));
  expect(allowed.join(" ")).toBe(can);
});

test("a run that is paused and resumed is told so", () => {
  const paused = told({ run, turns: [] }, "execution_paused", { ...run, status: "paused" });
  expect(steeringOf(paused.run).resume).toBe(true);
  const resumed = told(paused, "execution_resumed", { ...run, status: "running" });
  expect(steeringOf(resumed.run).pause).toBe(true);
});

describe("what the server is asked", () => {
  const asked = vi.fn();
  beforeEach(() => {
    vi.stubGlobal("localStorage", { getItem: () => null });
    vi.stubGlobal("fetch", async (path: string, init: RequestInit) => {
      asked(init.method, path, init.body, (init.headers as Record<string, string>)["If-Match"]);
      return new Response(JSON.stringify({ id: "answer" }), { status: 202 });
    });
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    asked.mockReset();
  });

  const at = "/api/v1/records/agent_graph_executions/x";
  test.each([
    ["to pause", () => pauseRun("x"), "POST", `${at}/pause`, "{}"],
    ["to resume", () => resumeRun("x"), "POST", `${at}/resume`, "{}"],
    [
      "to run again",
      () => rerun("x", "ask", "current"),
      "POST",
      `${at}/rerun`,
      '{"from":"ask","graph":"current"}',
    ],
    ["to compare", () => compareRuns("x", "a b"), "GET", `${at}/compare?to=a%20b`, undefined],
  ] as const)("%s", async (_, call, method, path, body) => {
    expect(await call()).toEqual({ id: "answer" });
    expect(asked).toHaveBeenCalledExactlyOnceWith(method, path, body, undefined);
  });

  test("to save one version and no other", async () => {
    await saveGraph("g", 7, { name: "n" });
    expect(asked).toHaveBeenCalledWith("PATCH", "/api/v1/records/agent_graphs/g", '{"name":"n"}', '"7"');
  });
});

test("a comparison names what differs, node by node", () => {
  const side = { number: 1, status: "completed", error: null, startTime: 0, endTime: 5 };
  const failed = { ...side, status: "failed", error: { code: "invalid", message: "no" } };
  const value = { port: "text", left: '"a"', right: null };
  const comparison: Comparison = {
    left: { ...run, endTime: 1200 },
    right: run,
    same: false,
    truncated: false,
    nodes: [
      { nodeId: "same", nodeType: "map", only: "both", same: true, turns: [] },
      { nodeId: "new", nodeType: "map", only: "right", same: false, turns: [] },
      {
        nodeId: "ask",
        nodeType: "map",
        only: "both",
        same: false,
        turns: [
          { left: side, right: failed, inputs: [], outputs: [value] },
          { left: side, right: null, inputs: [{ ...value, right: '"b"' }], outputs: [] },
        ],
      },
    ],
  };
  expect(differencesOf(comparison)).toEqual([
    { nodeId: "new", lines: [{ what: "the node", left: "not there", right: "there" }] },
    {
      nodeId: "ask",
      lines: [
        { what: "turn 1: end", left: "completed", right: "failed: no" },
        { what: "turn 1: gave text", left: '"a"', right: "nothing" },
        { what: "turn 2: end", left: "completed", right: "no turn" },
        { what: "turn 2: given text", left: '"a"', right: '"b"' },
      ],
    },
  ]);
  expect(timesOf(comparison)).toBe("1.2 s, then still going");
});
