import { expect, test } from "vitest";
import type { Message, Task } from "../api/types";
import { isConcluding, standsWithTask } from "./results";
import { thread } from "./thread";

const meta = { version: 1, seq: 1, createdSeq: 1, createdAt: 1, updatedAt: 0, chatId: "c" };

const task = (id: string, more: Partial<Task> = {}): Task => ({
  ...meta,
  id,
  type: "agent",
  name: "agent:general",
  instruction: id,
  status: "success",
  result: `${id} is done`,
  triggerMessageId: "asked",
  ...more,
});

const message = (id: string, more: Partial<Message> = {}): Message => ({
  ...meta,
  id,
  role: "assistant",
  content: id,
  ...more,
});

const told = (t: Task, more: Partial<Message> = {}) =>
  message(`of ${t.id}`, { taskId: t.id, title: t.id, content: t.result, ...more });

const both = (more: Partial<Task>): [Task, Task] => [task("a", more), task("b", more)];

test.each<[string, Task, Task[], Partial<Message>, boolean]>([
  ["a result that comes back", ...group({ deliver: "return" }), {}, true],
  ["a result that answers", ...group({ deliver: "answer" }), {}, false],
  ["one of several that programs started", ...group({}), {}, true],
  ["one of several calls of tools", ...group({ type: "tool" }), {}, false],
  ["the only one that a program started", task("a"), [task("a")], {}, false],
  ["a result before the newest", ...group({ deliver: "return" }), { content: "Older." }, false],
  ["a report that a model worded", ...group({ deliver: "return" }), { title: undefined }, false],
  ["a failure", ...group({ deliver: "answer", status: "failed", result: "" }), { type: "error" }, true],
  ["a failure that was overcome", ...group({ deliver: "answer" }), { type: "error", content: "No." }, true],
  [
    "what could not be done",
    ...group({ deliver: "answer", status: "failed", outcome: "could_not" }),
    {},
    true,
  ],
])("%s stands with its task alone, or in the chat", (_, t, all, more, with_) => {
  expect(standsWithTask(told(t, more), t, all, true)).toBe(with_);
});

test("what an agent brought that was sent on is new where it is said, and so is what it brought before", () => {
  const [a, b] = both({ deliver: "return" });
  const [before, now, other] = [
    told(a, { id: "before", content: "Older." }),
    told(a, { id: "now" }),
    told(b),
  ];
  const next = message("next", { role: "user" });
  const shown = thread([message("asked", { role: "user" }), before, other, next, now], [a, b], [], []);
  expect(shown.map((i) => i.key)).toEqual(["asked", "tasks-a", "before", "next", "now"]);
});

function group(more: Partial<Task>): [Task, Task[]] {
  const all = both(more);
  return [all[0], all];
}

test("an answer says whose it is, unless its agent alone stands right above", () => {
  const asked = message("asked", { role: "user" });
  const below = (tasks: Task[], ...messages: Message[]) =>
    thread([asked, ...messages], tasks, [], []).flatMap((i) =>
      i.kind === "message" ? [i.below ?? false] : [],
    );
  const [a, b] = both({ deliver: "answer" });
  expect(below([a], told(a))).toEqual([false, true]);
  expect(below([a, b], told(a), told(b))).toEqual([false, false, false]);
  expect(below([a], message("other"), told(a))).toEqual([false, false, false]);
});

test("it is concluded when the last result was told, and until something else is said", () => {
  const [a, b] = both({ deliver: "return" });
  const first = { ...a, endedAt: 5 };
  const last = { ...b, endedAt: 7 };
  expect(isConcluding([first, { ...b, status: "running" }], [told(a)])).toBe(false);
  expect(isConcluding([first, last], [told(a)])).toBe(false);
  expect(isConcluding([first, last], [told(a), told(b)])).toBe(true);
  expect(isConcluding([first, last], [told(a), told(b), message("So.")])).toBe(false);
  const answering = { ...b, deliver: "answer", createdAt: 6, endedAt: 7 };
  expect(isConcluding([first, answering], [told(a), told(b)]), "it came of the other").toBe(false);
});
