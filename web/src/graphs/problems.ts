import type { Drawn, Problem, Report } from "../api/graphs";
import { words } from "../words/graphs";
import { keyOf } from "./drawing";

const say = words.problems;

/** What was found about a graph, where it is shown. */
export interface Found {
  problem: Problem;
  severity: "error" | "warning";
  /** The edge that it is about. */
  edge?: string;
}

export const listProblems = (graph: Drawn, report: Report): Found[] =>
  (["error", "warning"] as const).flatMap((severity) =>
    (severity === "error" ? report.errors : report.warnings).map((problem) => {
      const edge = typeof problem.edgeIndex === "number" ? graph.edges[problem.edgeIndex] : undefined;
      return { problem, severity, edge: edge && keyOf(edge) };
    }),
  );

/** What each node shows: errors before warnings. */
export function byNode(found: readonly Found[]): Map<string, Found[]> {
  const nodes = new Map<string, Found[]>();
  for (const f of found) {
    nodes.set(f.problem.nodeId, [...(nodes.get(f.problem.nodeId) ?? []), f]);
  }
  return nodes;
}

/** In one line: "2 errors, 1 warning". */
export function countProblems(found: readonly Found[]): string {
  const count = (severity: Found["severity"]) => {
    const n = found.filter((f) => f.severity === severity).length;
    return n === 0 ? [] : [say[severity](n)];
  };
  return [...count("error"), ...count("warning")].join(", ") || say.none;
}
