import type { AnalysisSummary, Step, StepStatus, Trace } from "../api/priorities";

/** What of a trace is shown; "" stands for all. */
export interface TraceFilter {
  tool: string;
  status: StepStatus | "";
}

export const toolsOf = (steps: readonly Step[]): string[] =>
  [...new Set(steps.flatMap((s) => s.tool_name ?? []))].sort();

export const filterSteps = (steps: readonly Step[], { tool, status }: TraceFilter): Step[] =>
  steps.filter((s) => (!tool || s.tool_name === tool) && (!status || s.status === status));

/** A trace as a file: all of it, whatever is shown. */
export const exportOf = ({ id, status, partial, failed_tools }: AnalysisSummary, trace: Trace) => ({
  name: `reasoning-${id}.json`,
  text: JSON.stringify({ ...trace, session: { id, status, partial, failed_tools } }, null, 2),
});
