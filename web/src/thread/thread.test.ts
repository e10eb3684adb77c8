import { describe, expect, test } from "vitest";
import type { Message, Task } from "../api/types";
import type { Draft } from "../data/drafts";
import { isThinking, sharedRows, thread } from "./thread";

const meta = { version: 1, updatedAt: 0, userId: "u", chatId: "c" };
let seq = 0;

const message = (id: string, role: Message["role"], more: Partial<Message> = {}): Message => {
  seq++;
  return { ...meta, id, seq, createdSeq: seq, createdAt: seq * 10, role, content: id, ...more };
};

const announcing = [{ id: "1", type: "function", function: { name: "create_agent", arguments: "{}" } }];

const task = (id: string, more: Partial<Task> = {}): Task => {
  seq++;
  const fixed = { type: "agent", name: "agent:general", instruction: id, status: "running" } as const;
  return { ...meta, ...fixed, id, seq, createdSeq: seq, createdAt: seq * 10, ...more };
};

const draft = (id: string, text: string): Draft => ({
  id,
  path: id,
  chatId: "c",
  text,
  reasoning: "",
  tools: [],
});

const keys = (...args: Parameters<typeof thread>) => thread(...args).map((i) => i.key);

describe("the thread of a chat", () => {
  test("has each task under the reply that announced it", () => {
    const asked = message("asked", "user");
    const reply = message("reply", "assistant", { repliesTo: "asked", toolCalls: announcing });
    const later = message("later", "assistant");
    const tasks = [task("t1", { triggerMessageId: "asked" }), task("t2", { triggerMessageId: "asked" })];
    expect(keys([asked, reply, later], tasks, [], [])).toEqual(["asked", "reply", "tasks-t1", "later"]);
  });

  test("has it under the triggering message while there is no such reply", () => {
    const asked = message("asked", "user");
    const other = message("other", "user");
    expect(keys([asked, other], [task("t", { triggerMessageId: "asked" })], [], [])).toEqual([
      "asked",
      "tasks-t",
      "other",
    ]);
  });

  test("has a task that no message led to where it began", () => {
    const before = message("before", "user");
    const t = task("t");
    const after = message("after", "assistant");
    expect(keys([before, after], [t], [], [])).toEqual(["before", "tasks-t", "after"]);
  });

  test("has the agents that follow from results in the same group", () => {
    const asked = message("asked", "user");
    const reply = message("reply", "assistant", { repliesTo: "asked", toolCalls: announcing });
    const first = task("t1", { triggerMessageId: "asked" });
    const next = message("next", "assistant", { repliesTo: "asked", toolCalls: announcing });
    const second = task("t2", { triggerMessageId: "asked" });
    const items = thread([asked, reply, next], [first, second], [], []);
    expect(items.map((i) => i.key)).toEqual(["asked", "reply", "tasks-t1", "next"]);
    expect(items[2]).toMatchObject({ tasks: [first, second] });
  });

  test("has the group below a reply without words, which is not shown", () => {
    const asked = message("asked", "user");
    const reply = message("reply", "assistant", { repliesTo: "asked", toolCalls: announcing, content: " " });
    const calls = message("calls", "assistant", { type: "tool_call", toolCalls: announcing });
    expect(keys([asked, calls, reply], [task("t", { triggerMessageId: "asked" })], [], [])).toEqual([
      "asked",
      "calls",
      "tasks-t",
    ]);
  });

  test("leaves the tasks of agents to the inspector", () => {
    expect(keys([], [task("t", { parentAgentId: "a" })], [], [])).toEqual([]);
  });

  test("ends with what is being sent and what is being said", () => {
    const asked = message("asked", "user");
    const unsent = { id: "next", chatId: "c", content: "?", createdAt: 0 };
    expect(keys([asked], [], [draft("d", "Well")], [unsent])).toEqual(["asked", "next", "d"]);
  });

  test("shows nothing twice: a draft or an unsent message whose document is there", () => {
    const asked = message("asked", "user");
    const unsent = { id: "asked", chatId: "c", content: "?", createdAt: 0 };
    expect(keys([asked], [], [draft("asked", "x")], [unsent])).toEqual(["asked"]);
  });

  test("has what broke off where it was", () => {
    const asked = message("asked", "user");
    const reply = message("reply", "assistant", { repliesTo: "asked", toolCalls: announcing });
    const t = task("t", { triggerMessageId: "asked" });
    const half = { ...draft("half", ""), cut: "Half", cutAfter: seq };
    const failed = message("failed", "system", { type: "error" });
    const next = message("next", "user");
    const rows = ["asked", "reply", "tasks-t", "half", "failed", "next"];
    expect(keys([asked, reply, failed, next], [t], [half], [])).toEqual(rows);
    expect(keys([asked, failed], [], [{ ...half, text: "Anew" }], [])).toEqual(["asked", "failed", "half"]);
    expect(isThinking(thread([asked], [], [half], []), [], [asked])).toBe(true);
  });

  test("leaves out the bookkeeping of tools", () => {
    expect(
      keys([message("result", "tool"), message("call", "assistant", { type: "tool_call" })], [], [], []),
    ).toEqual([]);
  });
});

test("an answer to an agent is shown with its question until it is sent, and has nobody think", () => {
  const asked = message("asked", "user");
  const told = message("told", "assistant", { repliesTo: "asked" });
  const answer = message("answer", "user", { questionId: "q", taskId: "t" });
  const unsent = {
    id: "next",
    chatId: "c",
    content: "?",
    createdAt: 0,
    answers: { taskId: "t", questionId: "q" },
  };
  expect(keys([asked, told, answer], [], [], [unsent])).toEqual(["asked", "told", "answer"]);
  expect(isThinking([], [], [asked, told, answer])).toBe(false);
});

describe("a participant that calls tools in the chat", () => {
  const asked = message("asked", "user");
  const call = message("call", "assistant", { type: "tool_call", toolCalls: announcing, content: "" });
  const result = message("result", "tool", { type: "tool_result", toolCallId: "1" });
  const standing = task("t", { standing: true, triggerMessageId: "asked" });

  test("has its calls with their results in one row, and no row for its task", () => {
    const items = thread([asked, call, result], [standing], [], []);
    expect(items.map((i) => i.key)).toEqual(["asked", "call"]);
    expect(items[1]).toMatchObject({ kind: "calls", results: [result] });
  });

  test("thinks for as long as its task runs", () => {
    const messages = [asked, call, result];
    const items = thread(messages, [standing], [], []);
    expect(isThinking(items, [standing], [asked])).toBe(true);
    expect(isThinking(items, [standing], messages)).toBe(true);
    expect(isThinking(items, [{ ...standing, status: "success" }], messages)).toBe(false);
  });
});

describe("thinking", () => {
  const asked = message("asked", "user");

  test("is shown from the question until the first word", () => {
    expect(isThinking([], [], [asked])).toBe(true);
    expect(isThinking(thread([asked], [], [draft("d", "Well")], []), [], [asked])).toBe(false);
  });

  test("is shown while the orchestrator's own tools have been called, and no more", () => {
    const called = message("called", "assistant", { type: "tool_call", toolCalls: announcing });
    const result = message("result", "tool", { type: "tool_result", toolCallId: "1" });
    expect(isThinking([], [], [asked, called, result])).toBe(true);
    expect(isThinking([], [], [asked, called, result, message("answer", "assistant")])).toBe(false);
  });

  test("is not shown once there is an answer or a task", () => {
    expect(isThinking([], [], [asked, message("answer", "assistant")])).toBe(false);
    expect(isThinking([], [task("t", { triggerMessageId: "asked" })], [asked])).toBe(false);
  });
});

test("a fork begins with what people read of the shared messages, then the line", () => {
  const from = { userId: "u", chatId: "p", messageId: "b", saidAt: 1 };
  const shared = [message("a", "user", { chatId: "p" }), message("call", "tool"), message("b", "assistant")];
  expect(sharedRows(shared, from).map((i) => i.key)).toEqual(["p/a", "c/b", "fork"]);
  expect(sharedRows(shared, undefined)).toEqual([]);
});
