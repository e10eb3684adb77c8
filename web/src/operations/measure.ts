import type { MetricAnswer } from "../api/metrics";
import { cost, duration } from "../thread/format";
import { words } from "../words/operations";

const say = words.metrics;

/** Stretches of time up to now, and the windows that they are told in. */
export const ranges = {
  hour: { label: say.ranges.hour, length: 3_600_000, window: "1m" },
  day: { label: say.ranges.day, length: 86_400_000, window: "30m" },
  week: { label: say.ranges.week, length: 7 * 86_400_000, window: "3h" },
  month: { label: say.ranges.month, length: 30 * 86_400_000, window: "1d" },
} as const;
export type Range = keyof typeof ranges;

/** What is told of the points of a window. */
export const measures = {
  count: { label: say.measures.count, aggregates: ["count"] },
  sum: { label: say.measures.sum, aggregates: ["sum"] },
  avg: { label: say.measures.avg, aggregates: ["avg"] },
  extremes: { label: say.measures.extremes, aggregates: ["min", "max"] },
  percentiles: { label: say.measures.percentiles, aggregates: ["p50", "p95", "p99"] },
  p50: { label: say.measures.p50, aggregates: ["p50"] },
  p95: { label: say.measures.p95, aggregates: ["p95"] },
  p99: { label: say.measures.p99, aggregates: ["p99"] },
} as const;
export type Measure = keyof typeof measures;

export interface Question {
  name: string;
  range: Range;
  measure: Measure;
  groupBy: string;
}

export function asQuery(q: Question, now: number): URLSearchParams {
  const { length, window } = ranges[q.range];
  const query = new URLSearchParams({
    name: q.name,
    window,
    agg: measures[q.measure].aggregates.join(","),
    from: String(now - length),
    to: String(now),
  });
  if (q.groupBy) {
    query.set("groupBy", q.groupBy);
  }
  return query;
}

/** A value over time. Where a window has no points there is none, or 0 if it is a number of something. */
export interface Line {
  name: string;
  points: { at: number; value: number | undefined }[];
}

/** The lines of an answer, those with the largest values first. */
export function linesOf(answer: MetricAnswer): Line[] {
  const rows = answer.rows ?? [];
  const values = new Map<string, Map<number, number>>();
  const additive = new Set<string>();
  for (const row of rows) {
    for (const [aggregate, value] of Object.entries(row.values ?? {})) {
      const name = [groupOf(row), aggregate].filter(Boolean).join(" · ");
      const line = values.get(name) ?? new Map<number, number>();
      line.set(startOf(row.start, answer.windowMs), value);
      values.set(name, line);
      if (aggregate === "count" || aggregate === "sum") {
        additive.add(name);
      }
    }
  }
  const starts: number[] = [];
  for (let at = startOf(answer.from, answer.windowMs); at < answer.to; at += answer.windowMs) {
    starts.push(at);
  }
  const size = (line: Map<number, number>) => Math.max(...line.values());
  return [...values]
    .sort(([, a], [, b]) => size(b) - size(a))
    .map(([name, line]) => ({
      name,
      points: starts.map((at) => ({ at, value: line.get(at) ?? (additive.has(name) ? 0 : undefined) })),
    }));
}

/** The first window may begin before what was asked for. */
const startOf = (at: number, window: number) => at - (at % window);

/** The values of the dimensions that a row is about. */
export const groupOf = (row: { group: Record<string, string> | null }): string =>
  Object.values(row.group ?? {}).join(", ");

/** Says a value as its metric means it. */
export function wordsOf(name: string, aggregate: string): (value: number) => string {
  if (aggregate !== "count" && name.endsWith("_ms")) {
    return duration;
  }
  if (aggregate !== "count" && name.endsWith("_micros")) {
    return cost;
  }
  const compact = new Intl.NumberFormat(undefined, { notation: "compact", maximumSignificantDigits: 4 });
  return (v) => compact.format(v);
}

/** The least of 1, 2, 5, 10, 20 … that is not below a value. */
export function roundUp(value: number): number {
  if (!(value > 0)) {
    return 1;
  }
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5].find((n) => n * power >= value) ?? 10) * power;
}
