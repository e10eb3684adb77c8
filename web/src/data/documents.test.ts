import { describe, expect, test, vi } from "vitest";
import type { Message } from "../api/types";
import { Documents } from "./documents";

const message = (id: string, more: Partial<Message> = {}): Message => ({
  id,
  version: 1,
  seq: 1,
  createdSeq: 1,
  createdAt: 1,
  updatedAt: 1,
  userId: "u",
  chatId: "c",
  role: "user",
  content: id,
  ...more,
});

const ids = (list: readonly { id: string }[]) => list.map((d) => d.id);

describe("documents", () => {
  test("are in the order of the conversation: by time, then by the log", () => {
    const docs = new Documents();
    docs.put("messages", [
      message("third", { createdAt: 2, createdSeq: 9, seq: 9 }),
      message("second", { createdAt: 2, createdSeq: 3, seq: 12 }),
      message("first", { createdAt: 1, createdSeq: 5, seq: 5 }),
    ]);
    expect(ids(docs.list("messages"))).toEqual(["first", "second", "third"]);
  });

  test("keep the newest version, whatever comes last", () => {
    const docs = new Documents();
    docs.put("messages", [message("m", { version: 2, content: "new" })]);
    docs.put("messages", [message("m", { version: 1, content: "old" })]);
    expect(docs.get("messages", "m")?.content).toBe("new");
  });

  test("stay deleted when an old copy comes late", () => {
    const docs = new Documents();
    docs.put("messages", [message("m")]);
    docs.remove("messages", "m");
    docs.put("messages", [message("m")]);
    expect(docs.list("messages")).toEqual([]);
  });

  test("of one chat are listed without those of another", () => {
    const docs = new Documents();
    docs.put("messages", [message("mine"), message("other", { chatId: "d" })]);
    expect(ids(docs.list("messages", "chatId", "c"))).toEqual(["mine"]);
  });

  test("are the same list until something changes", () => {
    const docs = new Documents();
    docs.put("messages", [message("m")]);
    const before = docs.list("messages");
    docs.put("messages", [message("m")]);
    expect(docs.list("messages")).toBe(before);
    docs.put("messages", [message("n")]);
    expect(docs.list("messages")).not.toBe(before);
  });

  test("tell their readers of a change, once for many and not at all for none", () => {
    const docs = new Documents();
    const told = vi.fn();
    docs.subscribe("messages", told);
    docs.put("messages", [message("a"), message("b")]);
    docs.put("messages", [message("a")]);
    expect(told).toHaveBeenCalledTimes(1);
  });
});
