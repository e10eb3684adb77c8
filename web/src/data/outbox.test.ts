import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Outbox, type Unsent } from "./outbox";
import { own } from "./owner";

/** What the server answers to each message, in turn. */
let answers: (() => Response | Promise<Response>)[];
let sent: string[];
let paths: string[];

const taken = () => Response.json({ id: "m" }, { status: 201 });
const busy = (seconds: number) => () =>
  Response.json(
    { error: { code: "rate_limited", message: "you have 3 jobs waiting" } },
    { status: 429, headers: { "Retry-After": String(seconds) } },
  );

/** An answer that comes when the test wants it. */
function answerLater() {
  let resolve: (response: Response) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<Response>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

const message = (id: string): Unsent => ({ id, chatId: "c1", content: `text of ${id}`, createdAt: 1 });

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  paths = [];
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => {} });
  vi.spyOn(own, "set").mockImplementation((name, value) => void kept.set(name, value));
  vi.spyOn(own, "get").mockImplementation((name) => kept.get(name) ?? null);
  vi.stubGlobal("fetch", async (path: string, init: RequestInit) => {
    paths.push(path);
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
  const outbox = new Outbox({ sent: () => {}, stop: () => {}, unstop: () => {} });
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
  const outbox = new Outbox({ sent: () => {}, stop: () => {}, unstop: () => {} });
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
  const outbox = new Outbox({ sent: () => {}, stop: () => {}, unstop: () => {} });
  outbox.add(message("a"));
  await vi.advanceTimersByTimeAsync(15 * 60_000);
  expect(sent.length).toBeGreaterThan(10);
  expect(sent.length).toBeLessThan(25);
  expect(outbox.list()).toMatchObject([
    { id: "a", content: "text of a", error: expect.stringContaining("3 jobs waiting") },
  ]);
});

test("a message that was never sent is taken back whole, and nothing is stopped", async () => {
  const stopped: string[] = [];
  const outbox = new Outbox({ sent: () => {}, stop: (id) => stopped.push(id), unstop: () => {} });
  answers = [busy(60)];
  outbox.add(message("a"));
  outbox.add({ ...message("b"), content: "  two\n\tlines \n" });
  await vi.advanceTimersByTimeAsync(0);
  expect(outbox.stop("b")?.content).toBe("  two\n\tlines \n");
  expect(stopped).toEqual([]);
  expect(outbox.stop("a")?.content).toBe("text of a");
  expect(stopped).toEqual(["a"]); // it was sent once: the server may have it
  expect(outbox.list()).toEqual([]);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(sent).toEqual(["a"]);
});

test("a message on its way is stopped when the server has it", async () => {
  const stopped: string[] = [];
  const { promise, resolve } = answerLater();
  answers = [() => promise];
  const outbox = new Outbox({ sent: () => {}, stop: (id) => stopped.push(id), unstop: () => {} });
  outbox.add(message("a"));
  await vi.advanceTimersByTimeAsync(0);
  expect(outbox.stop("a")).toBeUndefined();
  expect(stopped).toEqual([]);
  expect(outbox.list()).toMatchObject([{ id: "a", stop: true }]);
  resolve(taken());
  await vi.advanceTimersByTimeAsync(0);
  expect(stopped).toEqual(["a"]);
  expect(outbox.list()).toEqual([]);
});

test("a message that was stopped on its way and not taken is kept, not sent again by itself, and can be", async () => {
  const stopped: string[] = [];
  const { promise, reject } = answerLater();
  answers = [() => promise];
  const unstopped: string[] = [];
  const outbox = new Outbox({
    sent: () => {},
    stop: (id) => stopped.push(id),
    unstop: (id) => unstopped.push(id),
  });
  outbox.add(message("a"));
  await vi.advanceTimersByTimeAsync(0);
  outbox.stop("a");
  reject(new TypeError("gone"));
  await vi.advanceTimersByTimeAsync(0);
  expect(outbox.list()).toMatchObject([{ id: "a", content: "text of a", error: expect.any(String) }]);
  expect(stopped).toEqual(["a"]);
  await outbox.flush();
  expect(sent).toEqual(["a"]);
  outbox.retry("a");
  await vi.advanceTimersByTimeAsync(0);
  expect(unstopped).toEqual(["a"]);
  expect(sent).toEqual(["a", "a"]);
  expect(outbox.list()).toEqual([]);
});

test("what was being stopped when the page was left is not sent by the next page", async () => {
  const stopped: string[] = [];
  vi.spyOn(own, "onChange").mockImplementation(() => {});
  own.set("outbox", JSON.stringify([{ ...message("a"), tried: true, stop: true }]));
  const outbox = new Outbox({ sent: () => {}, stop: (id) => stopped.push(id), unstop: () => {} });
  outbox.open();
  await outbox.flush();
  expect(sent).toEqual([]);
  expect(stopped).toEqual(["a"]);
  expect(outbox.list()).toMatchObject([{ content: "text of a", error: expect.any(String) }]);
});

test("what is said in the place of a message makes the fork first", async () => {
  const outbox = new Outbox({ sent: () => {}, stop: () => {}, unstop: () => {} });
  answers = [];
  outbox.add({ ...message("a"), instead: { chatId: "c0", messageId: "m" } });
  await vi.advanceTimersByTimeAsync(0);
  expect(sent).toEqual(["c1", "a"]);
});

const late = () =>
  Response.json(
    { error: { code: "conflict", message: "bea has answered this question already" } },
    { status: 409 },
  );

test("an answer goes to the agent that asked; one that comes late stays with the person, and what is behind it is sent", async () => {
  answers = [taken, late];
  const outbox = new Outbox({ sent: () => {}, stop: () => {}, unstop: () => {} });
  outbox.add({ ...message("a"), answers: { taskId: "t1", questionId: "q1" } });
  outbox.add({ ...message("b"), answers: { taskId: "t2", questionId: "q2" } });
  outbox.add(message("c"));
  await vi.advanceTimersByTimeAsync(0);
  expect(paths).toEqual([
    "/api/v1/chats/c1/tasks/t1/answer",
    "/api/v1/chats/c1/tasks/t2/answer",
    "/api/v1/chats/c1/messages",
  ]);
  expect(outbox.list()).toMatchObject([
    { id: "b", late: true, error: "bea has answered this question already" },
  ]);
});
