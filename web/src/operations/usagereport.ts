import type { UsageReport, UsageRow } from "../api/operations";

/** What the page can tell apart beside the days. */
export type Group = "day" | "model" | "chat" | "role" | "user";

type Numbers = Pick<UsageRow, "calls" | "inputTokens" | "outputTokens" | "costMicros">;

/** What one group used in all. */
export type Sum = Numbers & { name: string };

export const measures = {
  cost: (n: Numbers) => n.costMicros,
  tokens: (n: Numbers) => n.inputTokens + n.outputTokens,
  calls: (n: Numbers) => n.calls,
};
export type Measure = keyof typeof measures;

const rowsOf = (report: UsageReport): UsageRow[] => report.rows ?? [];
const groupValue = (row: UsageRow, group: Group) => row.group[group] ?? "";

/** What each group used in all: days as they come, the newest first, others by what they cost. */
export function sumsOf(report: UsageReport, group: Group): Sum[] {
  const sums = new Map<string, Sum>();
  for (const row of rowsOf(report)) {
    const name = groupValue(row, group);
    const sum = sums.get(name) ?? { name, calls: 0, inputTokens: 0, outputTokens: 0, costMicros: 0 };
    sum.calls += row.calls;
    sum.inputTokens += row.inputTokens;
    sum.outputTokens += row.outputTokens;
    sum.costMicros += row.costMicros;
    sums.set(name, sum);
  }
  const all = [...sums.values()];
  if (group === "day") {
    return all.sort((a, b) => (a.name < b.name ? 1 : -1));
  }
  return all.sort((a, b) => b.costMicros - a.costMicros || measures.tokens(b) - measures.tokens(a));
}

/** What is drawn: a value for each day. */
export interface Series {
  /** Undefined is that of all others together, of which there are so many. */
  name: string | undefined;
  others: number;
  values: number[];
}

/** The days of the report, from the first on which something was used. */
export function daysOf(report: UsageReport): string[] {
  const first = rowsOf(report)
    .map((r) => groupValue(r, "day"))
    .sort()[0];
  const days: string[] = [];
  for (let at = Date.parse(first ?? report.to); at <= Date.parse(report.to); at += 86_400_000) {
    days.push(new Date(at).toISOString().slice(0, 10));
  }
  return days;
}

/** A series for each of the largest groups, and one for the rest. */
export function seriesOf(report: UsageReport, group: Group, measure: Measure, most: number): Series[] {
  const days = daysOf(report);
  const of = measures[measure];
  const totals = new Map<string, number>();
  const name = (row: UsageRow) => (group === "day" ? "" : groupValue(row, group));
  for (const row of rowsOf(report)) {
    totals.set(name(row), (totals.get(name(row)) ?? 0) + of(row));
  }
  const ranked = [...totals].sort(([, a], [, b]) => b - a).map(([n]) => n);
  const own = ranked.length > most ? ranked.slice(0, most - 1) : ranked;
  const series: Series[] = own.map((n) => ({ name: n, others: 0, values: days.map(() => 0) }));
  if (ranked.length > own.length) {
    series.push({ name: undefined, others: ranked.length - own.length, values: days.map(() => 0) });
  }
  const place = new Map(days.map((d, i) => [d, i]));
  for (const row of rowsOf(report)) {
    const at = own.indexOf(name(row));
    const line = series[at < 0 ? series.length - 1 : at];
    const day = place.get(groupValue(row, "day"));
    if (line && day !== undefined) {
      line.values[day] = (line.values[day] ?? 0) + of(row);
    }
  }
  return series;
}

/** All digits: sums of what is shown are what is shown as the sum. */
export function dollars(micros: number): string {
  const digits = (micros / 1e6).toFixed(6);
  return `$${digits.replace(/0{1,4}$/, "")}`;
}

/** The rows of a report for a spreadsheet, which must not take a name for a formula. */
export function asCSV(report: UsageReport): string {
  const groups = report.groupBy ?? [];
  const cell = (value: string) => {
    const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const heads = [
    ...groups,
    "calls",
    "inputTokens",
    "cachedInputTokens",
    "outputTokens",
    "reasoningTokens",
    "costUSD",
  ];
  const lines = rowsOf(report).map((r) => [
    ...groups.map((g) => cell(r.group[g] ?? "")),
    r.calls,
    r.inputTokens,
    r.cachedInputTokens ?? 0,
    r.outputTokens,
    r.reasoningTokens ?? 0,
    (r.costMicros / 1e6).toFixed(6),
  ]);
  return [heads, ...lines].map((l) => `${l.join(",")}\r\n`).join("");
}
