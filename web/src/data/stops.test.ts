import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { own } from "./owner";
import { Stops } from "./stops";

/** What the server answers to each stop, in turn. */
let answers: (() => Response)[];
let asked: string[];
let stopped: string[];

const done = () => Response.json({});
const listed =
  (...runs: string[]) =>
  () =>
    Response.json({ items: runs.map((id) => ({ id })) });
const away = () => {
  throw new TypeError("away");
};

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  stopped = [];
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => {} });
  vi.spyOn(own, "set").mockImplementation((name, value) => void kept.set(name, value));
  vi.spyOn(own, "get").mockImplementation((name) => kept.get(name) ?? null);
  vi.spyOn(own, "onChange").mockImplementation(() => {});
  vi.stubGlobal("fetch", async (url: string) => {
    asked.push(url);
    return (answers.shift() ?? done)();
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const ids = (s: Stops) => s.list().map((stop) => stop.runId);

test("a stop waits for the server, also on the next page", async () => {
  answers = [away];
  const first = new Stops((id) => stopped.push(id));
  first.add("a", "b");
  await vi.advanceTimersByTimeAsync(0);
  expect(ids(first)).toEqual(["a", "b"]);
  const next = new Stops((id) => stopped.push(id));
  next.open();
  await next.flush();
  expect(asked).toEqual(["a", "a", "b"].map((id) => `/api/v1/runs/${id}/cancel`));
  expect(stopped).toEqual(["a", "b"]);
  expect(next.list()).toEqual([]);
});

test("a message that is still on its way is stopped when it is there", async () => {
  answers = [listed(), listed(), listed("a"), done];
  const stops = new Stops((id) => stopped.push(id));
  stops.addMaybe("a", "c");
  await vi.advanceTimersByTimeAsync(1500);
  expect(ids(stops)).toEqual(["a"]);
  await vi.advanceTimersByTimeAsync(1500);
  expect(stopped).toEqual(["a"]);
  expect(asked.at(-1)).toBe("/api/v1/runs/a/cancel");
  expect(asked.slice(0, -1)).not.toContain("/api/v1/runs/a/cancel");
});

test("a message that never came needs no stop", async () => {
  answers = Array.from({ length: 100 }, () => listed());
  const stops = new Stops((id) => stopped.push(id));
  stops.addMaybe("a", "c");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(stops.list()).toEqual([]);
  expect(asked.length).toBeLessThan(20);
  expect(stopped).toEqual([]);
});

test("a stop that is refused says why", async () => {
  answers = [
    () => Response.json({ error: { code: "forbidden", message: "you may only read" } }, { status: 403 }),
  ];
  const stops = new Stops((id) => stopped.push(id));
  stops.add("a");
  await vi.advanceTimersByTimeAsync(0);
  expect(stops.list()).toEqual([]);
  expect(stops.error()).toBe("you may only read");
});
