import { expect, test, vi } from "vitest";
import { inTurn } from "./turns";

/** Work that takes so many milliseconds of a clock that the test moves. */
function clock() {
  let now = 1_000_000;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  return (ms: number, done: string[], name: string) => () => {
    now += ms;
    done.push(name);
  };
}

test("little is done at once, much in turns, and what was taken back never", () => {
  vi.useFakeTimers();
  const takes = clock();
  const done: string[] = [];
  inTurn(takes(5, done, "a"));
  inTurn(takes(5, done, "b"));
  expect(done).toEqual(["a", "b"]);
  inTurn(takes(20, done, "c"));
  const takeBack = inTurn(takes(1, done, "d"));
  inTurn(takes(1, done, "e"));
  expect(done).toEqual(["a", "b"]);
  takeBack();
  vi.advanceTimersToNextTimer();
  expect(done).toEqual(["a", "b", "c"]);
  vi.advanceTimersToNextTimer();
  expect(done).toEqual(["a", "b", "c", "e"]);
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});
