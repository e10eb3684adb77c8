import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Outbox, type Unsent } from "./outbox";
import { own } from "./owner";

/** What the server answers to each message, in turn. */
let answers: (() => Response)[];
let sent: string[];

const taken = () => Response.json({ id: "m" }, { status: 201 });
const busy = (seconds: number) => () =>
  Response.json(
    { error: { code: "rate_limited", message: "you have 3 jobs waiting" } },
    { status: 429, headers: { "Retry-After": String(seconds) } },
  );

const message = (id: string): Unsent => ({ id, chatId: "c1", content: `text of ${id}`, createdAt: 1 });

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => {} });
  vi.spyOn(own, "set").mockImplementation((name, value) => void kept.set(name, value));
  vi.spyOn(own, "get").mockImplementation((name) => kept.get(name) ?? null);
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    sent.push((JSON.parse(String(init.body)) as { id: string }).id);
    return (answers.shift() ?? taken)();
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test("messages that a busy server refuses are sent again in order, when it says", async () => {
  answers = [busy(20), busy(20)];
  const outbox = new Outbox(() => {});
  outbox.add(message("a"));
  outbox.add(message("b"));
  await vi.advanceTimersByTimeAsync(0);
  expect(sent).toEqual(["a"]);
  expect(outbox.list().map((m) => m.content)).toEqual(["text of a", "text of b"]);
  expect(outbox.list()[0]?.busy?.why).toBe("you have 3 jobs waiting");
  await vi.advanceTimersByTimeAsync(19_000);
  expect(sent).toEqual(["a"]);
  await vi.advanceTimersByTimeAsync(31_000);
  expect(sent).toEqual(["a", "a", "a", "b"]);
  expect(outbox.list()).toEqual([]);
});

test("a message is not sent again when a person discards it, and at once when they want it", async () => {
  answers = [busy(60), busy(60)];
  const outbox = new Outbox(() => {});
  outbox.add(message("a"));
  outbox.add(message("b"));
  await vi.advanceTimersByTimeAsync(0);
  outbox.discard("a");
  await vi.advanceTimersByTimeAsync(80_000);
  expect(sent).toEqual(["a", "b"]);
  outbox.retry("b");
  await vi.advanceTimersByTimeAsync(0);
  expect(sent).toEqual(["a", "b", "b"]);
  expect(outbox.list()).toEqual([]);
});

test("a server that stays busy leaves the message to the person", async () => {
  answers = Array.from({ length: 1000 }, () => busy(30));
  const outbox = new Outbox(() => {});
  outbox.add(message("a"));
  await vi.advanceTimersByTimeAsync(15 * 60_000);
  expect(sent.length).toBeGreaterThan(10);
  expect(sent.length).toBeLessThan(25);
  expect(outbox.list()).toMatchObject([
    { id: "a", content: "text of a", error: expect.stringContaining("3 jobs waiting") },
  ]);
});
