import assert from "node:assert/strict";
import { test } from "node:test";
import { type Message, messages } from "../src/sse.js";

async function parse(...chunks: string[]): Promise<Message[]> {
  async function* body() {
    yield* chunks;
  }
  const all = [];
  for await (const message of messages(body())) all.push(message);
  return all;
}

test("messages are told however they are cut", async () => {
  const text = ': hello\nevent: change\nid: 7\ndata: {"a":\ndata: 1}\r\n\r\nid: 8\n\nevent:x\ndata\n\n';
  const want = [
    { name: "change", id: "7", data: '{"a":\n1}' },
    { name: "", id: "8", data: "" },
    { name: "x", data: "" },
  ];
  for (let at = 0; at <= text.length; at++) assert.deepEqual(await parse(text.slice(0, at), text.slice(at)), want);
});

test("a message that breaks off is not told", async () => {
  assert.deepEqual(await parse("event: change\nid: 7\ndata: 1\n"), []);
});
