import { expect, test } from "vitest";
import type { UsageReport, UsageRow } from "../api/operations";
import { asCSV, daysOf, dollars, seriesOf, sumsOf } from "./usagereport";

const row = (day: string, model: string, costMicros: number, tokens = 10): UsageRow => ({
  group: { day, model },
  calls: 1,
  inputTokens: tokens,
  outputTokens: 1,
  costMicros,
});

const report = (...rows: UsageRow[]): UsageReport => ({
  from: "2026-03-01",
  to: "2026-03-04",
  groupBy: ["day", "model"],
  rows,
  total: { calls: 0, inputTokens: 0, outputTokens: 0, costMicros: 0 },
});

const some = report(
  row("2026-03-02", "big", 100),
  row("2026-03-02", "small", 1),
  row("2026-03-04", "small", 2),
  row("2026-03-04", "tiny", 0),
);

test("groups are summed over days, the dearest first", () => {
  expect(sumsOf(some, "model").map((s) => [s.name, s.costMicros, s.calls])).toEqual([
    ["big", 100, 1],
    ["small", 3, 2],
    ["tiny", 0, 1],
  ]);
  expect(sumsOf(some, "day").map((s) => [s.name, s.costMicros])).toEqual([
    ["2026-03-04", 2],
    ["2026-03-02", 101],
  ]);
});

test("days without usage are drawn, from the first with usage on", () => {
  expect(daysOf(some)).toEqual(["2026-03-02", "2026-03-03", "2026-03-04"]);
  expect(daysOf(report())).toEqual(["2026-03-04"]);
});

test("the largest groups have a series each and the rest has one", () => {
  expect(seriesOf(some, "model", "cost", 2)).toEqual([
    { name: "big", others: 0, values: [100, 0, 0] },
    { name: undefined, others: 2, values: [1, 0, 2] },
  ]);
  expect(seriesOf(some, "day", "calls", 6)).toEqual([{ name: "", others: 0, values: [2, 0, 2] }]);
});

test("cost is told to the last digit", () => {
  expect([0, 1, 1_500_000, 20_000_000].map(dollars)).toEqual(["$0.00", "$0.000001", "$1.50", "$20.00"]);
});

test("a spreadsheet takes no name for a formula", () => {
  const csv = asCSV(report(row("2026-03-02", '=HYPERLINK("x")', 7), row("2026-03-02", "a,b", 0)));
  expect(csv.split("\r\n")).toEqual([
    "day,model,calls,inputTokens,cachedInputTokens,outputTokens,reasoningTokens,costUSD",
    '2026-03-02,"\'=HYPERLINK(""x"")",1,10,0,1,0,0.000007',
    '2026-03-02,"a,b",1,10,0,1,0,0.000000',
    "",
  ]);
});
