import { expect, test } from "vitest";
import { clock, cost, duration, exactClock, headline, pretty, tokens, unmarked } from "./format";

test.each([
  [12, "12 ms"],
  [1234, "1.2 s"],
  [59_000, "59 s"],
  [125_000, "2 min 5 s"],
  [3_720_000, "1 h 2 min"],
  [-5, "0 ms"],
])("%d ms reads %s", (ms, text) => expect(duration(ms)).toBe(text));

test.each([
  [999, "999"],
  [1500, "1.5k"],
  [25_000, "25k"],
  [2_500_000, "2.5M"],
])("%d tokens read %s", (n, text) => expect(tokens(n)).toBe(text));

test.each([
  [0, "$0"],
  [150, "$0.0001"],
  [2_500_000, "$2.50"],
])("%d millionths cost %s", (micros, text) => expect(cost(micros)).toBe(text));

test("JSON is shown in lines, other text as it is", () => {
  expect(pretty('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(pretty("42")).toBe("42");
  expect(pretty("plain")).toBe("plain");
});

test("a task is called by the first line of its instruction", () => {
  expect(headline("\n Write the copy  \n\nWhat it is for: the shop.")).toBe("Write the copy");
  expect(headline("")).toBe("");
});

test("a time reads the same everywhere, with seconds where they count", () => {
  const at = new Date(2026, 2, 5, 14, 2, 11).getTime();
  expect([clock(at), exactClock(at)].map((t) => t.replace("\u202f", " "))).toEqual([
    "02:02 PM",
    "02:02:11 PM",
  ]);
});

test.each([
  ["**Research Go** in `main.go`", "Research Go in main.go"],
  ["## Findings", "Findings"],
  ["- one - two", "one - two"],
  ["6*7 of snake_case", "6*7 of snake_case"],
])("%s is told in one line as %s", (said, text) => expect(unmarked(said)).toBe(text));
