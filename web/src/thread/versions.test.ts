import { expect, test } from "vitest";
import type { Chat, Message } from "../api/types";
import { placesOf, versionsOf } from "./versions";

const chat = (id: string, createdAt: number, instead?: [string, string]): Chat => ({
  id,
  userId: "u",
  version: 1,
  seq: 1,
  createdSeq: 1,
  createdAt,
  updatedAt: 0,
  forkedFrom: instead && {
    userId: "u",
    chatId: instead[0],
    messageId: "before",
    saidAt: 0,
    insteadIn: instead[0],
    insteadOf: instead[1],
  },
});
const message = (chatId: string, id: string) => ({ id, chatId }) as Message;

const original = chat("c", 1);
const second = chat("f2", 3, ["c", "m"]);
const first = chat("f1", 2, ["c", "m"]);
const all = [second, original, chat("other", 4, ["c", "x"]), chat("plain", 5), first];
const places = placesOf(all);
const versions = (m: Message, shown: Chat, begins?: string, chats = all) =>
  versionsOf(m, places, shown, begins, (id) => chats.find((c) => c.id === id)).map((c) => c.id);

test("a message and what was said in its place are versions of each other, wherever one reads them", () => {
  expect(versions(message("c", "m"), original)).toEqual(["c", "f1", "f2"]);
  expect(versions(message("f2", "new"), second, "new")).toEqual(["c", "f1", "f2"]);
});

test("what was said later has no versions", () => {
  expect(versions(message("f2", "later"), second, "new")).toEqual([]);
  expect(versions(message("c", "other"), original)).toEqual([]);
});

test("the first chat may be gone", () => {
  expect(versions(message("f2", "new"), second, "new", [second, first])).toEqual(["f1", "f2"]);
});
