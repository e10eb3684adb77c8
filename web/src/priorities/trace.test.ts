import { expect, test } from "vitest";
import type { AnalysisSummary, Step, StepStatus, Trace } from "../api/priorities";
import { exportOf, filterSteps, toolsOf } from "./trace";

const step = (step_number: number, tool_name: string | null, status: StepStatus): Step => ({
  step_number,
  tool_name,
  status,
  timestamp: "2026-01-01T00:00:00.000Z",
  thought: null,
  tool_input: { query: "x" },
  tool_output: null,
  duration_ms: 1,
});
const steps = [
  step(1, "search", "success"),
  step(2, "detect", "failed"),
  step(3, "search", "failed"),
  step(4, null, "skipped"),
];

test.each([
  ["all", { tool: "", status: "" }, [1, 2, 3, 4]],
  ["those of a tool", { tool: "search", status: "" }, [1, 3]],
  ["those that failed", { tool: "", status: "failed" }, [2, 3]],
  ["those of a tool that failed", { tool: "search", status: "failed" }, [3]],
  ["none", { tool: "detect", status: "skipped" }, []],
] as const)("a filter lets %s through", (_, filter, want) => {
  expect(filterSteps(steps, filter).map((s) => s.step_number)).toEqual(want);
});

test("each tool is there once, and thoughts without one are none", () => {
  expect(toolsOf(steps)).toEqual(["detect", "search"]);
});

test("the file has every step, and how the analysis ended", () => {
  const trace = { session_id: "s1", steps, total_steps: 4 } as unknown as Trace;
  const session = {
    id: "s1",
    status: "completed",
    partial: true,
    failed_tools: ["detect"],
  } as AnalysisSummary;
  const { name, text } = exportOf(session, trace);
  expect(name).toBe("reasoning-s1.json");
  expect(JSON.parse(text)).toEqual({ ...trace, session });
});
