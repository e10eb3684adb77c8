import { expect, test } from "vitest";
import { closed } from "./unfinished";

test.each([
  ["plain text stays", "Hello", "Hello"],
  ["open bold is closed", "It is **very", "It is **very**"],
  ["bold that is closed stays", "It is **very** good", "It is **very** good"],
  ["bold is closed behind the last word", "It is **very ", "It is **very**"],
  ["a mark without words is left out", "It is **", "It is "],
  ["open code is closed", "Run `make te", "Run `make te`"],
  ["marks inside of code are no marks", "Run `a **b", "Run `a **b`"],
  ["only the last paragraph counts", "Two ** stars.\n\nNext", "Two ** stars.\n\nNext"],
  ["a block of code stays", "```go\na := **b", "```go\na := **b"],
])("%s", (_, text, want) => expect(closed(text)).toBe(want));
