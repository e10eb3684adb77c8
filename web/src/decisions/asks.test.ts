import { expect, test } from "vitest";
import type { Task, ToolCall } from "../api/types";
import { asksOf, isForPeople } from "./asks";

const meta = { version: 1, seq: 1, createdSeq: 1, createdAt: 1, updatedAt: 1, chatId: "c" };
const task = (id: string, status: Task["status"], questionId?: string) =>
  ({ ...meta, id, status, questionId, subAgentId: `of-${id}` }) as Task;
const call = (id: string, of: string, status: ToolCall["status"], more: Partial<ToolCall> = {}) =>
  ({ ...meta, id, subAgentId: `of-${of}`, status, toolName: "order", ...more }) as ToolCall;

test("what agents wait for comes in the order of their tasks, whoever asked first", () => {
  const tasks = [task("a", "running"), task("b", "waiting", "q"), task("c", "success"), task("d", "running")];
  const calls = [
    call("d1", "d", "running", { client: true }),
    call("a1", "a", "success"),
    call("a2", "a", "awaiting_approval"),
    call("a3", "a", "awaiting_approval", { held: true }), // after the one before it
    call("a4", "a", "unknown"),
    call("b1", "b", "awaiting_approval"), // of before it asked
    call("c1", "c", "awaiting_approval"),
    call("d2", "d", "running"),
  ];
  const asks = asksOf(tasks, calls);
  expect(asks.map((x) => [x.kind, x.id])).toEqual([
    ["call", "a2"],
    ["call", "a4"],
    ["question", "q"],
    ["client", "d1"],
  ]);
  expect(asks.filter(isForPeople)).toHaveLength(3);
});
