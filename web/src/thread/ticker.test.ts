import { expect, test } from "vitest";
import { ticker } from "./ticker";

test("a ticker ends with the newest words and begins with a whole one", () => {
  expect(ticker("one two three four", 12)).toBe("… three four");
  expect(ticker("one two three four", 9)).toBe("… four");
  expect(ticker(" one\n\ntwo ", 12)).toBe("one two");
  expect(ticker("incomprehensibilities", 5)).toBe("… ities");
});
