import type { Drawn, GraphEdge, RunSummary, Turn } from "../api/graphs";
import { keyOf } from "./drawing";

/** A run as it was at each moment, from what is recorded of its turns. */

/** A turn that began, or ended. */
export interface Step {
  turn: Turn;
  kind: "began" | "ended";
}

/** Everything that happened, in its order. */
export function stepsOf(turns: readonly Turn[]): Step[] {
  const steps = turns.flatMap((turn): Step[] => [
    { turn, kind: "began" },
    ...(turn.status === "running" ? [] : [{ turn, kind: "ended" } as const]),
  ]);
  const time = ({ turn, kind }: Step) => (kind === "began" ? turn.startTime : (turn.endTime ?? 0));
  // Two that happened in the same millisecond: a turn that began because another ended has the higher number.
  const rank = ({ turn, kind }: Step) => turn.number * 2 + (kind === "ended" ? 1 : 0);
  return steps.sort((a, b) => time(a) - time(b) || rank(a) - rank(b));
}

/** What the canvas shows of a run after so many of its steps. */
export interface Moment {
  /** The status of the latest turn of each node. */
  nodes: Map<string, Turn["status"]>;
  /** What went over each edge last, by its key. */
  values: Map<string, unknown>;
  /** The turns so far, as they were then. */
  turns: Turn[];
}

export function momentAt(graph: Drawn, steps: readonly Step[], count = steps.length): Moment {
  const nodes: Moment["nodes"] = new Map();
  const values: Moment["values"] = new Map();
  const turns = new Map<number, Turn>();
  const edgesFrom = new Map<string, GraphEdge[]>();
  for (const e of graph.edges) {
    edgesFrom.set(e.sourceNodeId, [...(edgesFrom.get(e.sourceNodeId) ?? []), e]);
  }
  for (const { turn, kind } of steps.slice(0, count)) {
    const then =
      kind === "ended" ? turn : { ...turn, status: "running", outputs: {}, error: null, endTime: null };
    nodes.set(turn.nodeId, then.status);
    turns.set(turn.number, then);
    for (const e of edgesFrom.get(turn.nodeId) ?? []) {
      if (kind === "ended" && Object.hasOwn(turn.outputs, e.sourcePortId)) {
        values.set(keyOf(e), turn.outputs[e.sourcePortId]);
      }
    }
  }
  return { nodes, values, turns: [...turns.values()].sort((a, b) => a.number - b.number) };
}

/** What is known of a run while it is followed. */
export interface Followed {
  run: RunSummary;
  turns: readonly Turn[];
}

/** Joins an event into what is known. What comes twice changes nothing. */
export function told(now: Followed, event: string, data: unknown): Followed {
  if (event.startsWith("execution_")) {
    return { ...now, run: { ...now.run, ...(data as RunSummary) } };
  }
  const turn = data as Turn;
  const before = now.turns.find((t) => t.number === turn.number);
  if (before && before.status !== "running" && turn.status === "running") {
    return now; // an older event of a turn whose end is known
  }
  const others = now.turns.filter((t) => t.number !== turn.number);
  return { ...now, turns: [...others, turn].sort((a, b) => a.number - b.number) };
}

/** A value in a few letters, for an edge. */
export function brief(value: unknown, longest = 24): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}
