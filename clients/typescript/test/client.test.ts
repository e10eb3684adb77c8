import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client, NestorError } from "../src/index.js";
import { example } from "./example.js";
import { type Server, serve, token } from "./server.js";

let server: Server;
let nestor: Client;

before(async () => {
  server = await serve();
  nestor = new Client({ url: server.url, token });
});

after(() => server.stop());

test("the example streams an answer and watches a sub-agent", async () => {
  assert.deepEqual(await example(nestor, "Compute 6*7"), [
    "I am giving this to a general agent.",
    "calculator: 42",
    "**Compute 6*7**\n\n- `6*7` = **42**",
  ]);
});

test("lists have pages", async () => {
  const chat = await nestor.createChat();
  const tasks = [];
  for (const id of ["t1", "t2", "t3"]) {
    tasks.push((await nestor.startTask(chat.id, { id, name: "agent:general", instruction: "Compute 1+1" })).id);
  }
  const listed = [];
  let cursor: string | undefined;
  do {
    const page = await nestor.listTasks(chat.id, { limit: 2, cursor });
    listed.push(...page.items.map((task) => task.id));
    cursor = page.next;
  } while (cursor);
  assert.deepEqual(listed, tasks);
});

test("documents have paths, versions and conflicts", async () => {
  const path = "users/local/notes/ä b";
  const written = await nestor.putDocument("users/local/notes/n1", { text: "one" });
  await nestor.putDocument("users/local/notes/n1", { text: "two" }, { ifMatch: String(written.version) });
  await fails("conflict", () => nestor.patchDocument("users/local/notes/n1", { text: "three" }, { ifMatch: String(written.version) }));
  assert.equal((await nestor.getDocument("users/local/notes/n1"))["text"], "two");
  assert.equal(await nestor.deleteDocument("users/local/notes/n1"), undefined);
  await fails("not_found", () => nestor.getDocument("users/local/notes/n1"));
  await fails("invalid", () => nestor.getDocument(path));
});

test("a repeated call with a key creates once", async () => {
  const first = await nestor.createChat({ title: "Once" }, { idempotencyKey: "k1" });
  const second = await nestor.createChat({ title: "Once" }, { idempotencyKey: "k1" });
  assert.equal(second.id, first.id);
});

test("failures carry the server's code", async () => {
  await fails("unauthenticated", () => new Client({ url: server.url, token: "wrong" }).listChats());
  await fails("unavailable", () => new Client({ url: "http://127.0.0.1:1", token }).listChats());
  await fails("not_found", () => nestor.chatEvents("none").next());
});

test("a stream goes on where it broke", async () => {
  const chat = await nestor.createChat();
  for (const content of ["one", "two", "three", "four"]) await nestor.putDocument(`users/local/orch-chats/${chat.id}/notes/${content}`, {});
  let connections = 0;
  const broken = new Client({
    url: server.url,
    token,
    fetch: async (input, init) => {
      connections++;
      return cut(await fetch(input, init), 700);
    },
  });
  const ids: string[] = [];
  for await (const event of broken.chatEvents(chat.id, { from: "0" })) {
    if (event.name === "change") ids.push(event.data.id);
    if (ids.at(-1) === "four") break;
  }
  assert.deepEqual(ids, [chat.id, "one", "two", "three", "four"]);
  assert.ok(connections > 1, "it never broke");
});

test("a stream ends with its signal", async () => {
  const chat = await nestor.createChat();
  const stop = new AbortController();
  const events = nestor.chatEvents(chat.id, { from: "0", signal: stop.signal });
  assert.equal((await events.next()).done, false);
  const next = events.next();
  stop.abort();
  assert.equal((await next).done, true);
});

async function fails(code: string, call: () => Promise<unknown>): Promise<void> {
  await assert.rejects(call, (error) => error instanceof NestorError && error.code === code && error.message !== "");
}

/** A response that breaks after some bytes. */
function cut(response: Response, bytes: number): Response {
  const body = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        controller.enqueue(chunk.slice(0, bytes));
        bytes -= chunk.length;
        if (bytes <= 0) controller.error(new Error("cut"));
      },
    }),
  );
  return new Response(body, { status: response.status, headers: response.headers });
}

/** Refuses requests as a server does that has too much to do, then passes them on. */
function busy(refusals: number, retryAfter: string): { fetch: typeof fetch; refused: () => number } {
  let refused = 0;
  return {
    refused: () => refused,
    fetch: (input, init) => {
      if (refused === refusals) return fetch(input, init);
      refused++;
      const error = { code: "rate_limited", message: "too much waits" };
      return Promise.resolve(Response.json({ error }, { status: 429, headers: { "Retry-After": retryAfter } }));
    },
  };
}

test("a call waits for a server that has too much to do", async () => {
  const waits: number[] = [];
  const limited = busy(2, "0");
  const patient = new Client({ url: server.url, token, fetch: limited.fetch, onWait: (wait) => waits.push(wait) });
  assert.ok((await patient.createChat()).id);
  assert.equal(limited.refused(), 2);
  assert.equal(waits.length, 2);
});

test("a call waits no longer than its patience, or than its caller wants", async () => {
  const limited = (error: unknown) => error instanceof NestorError && error.code === "rate_limited" && error.retryAfter === 5000;
  const hasty = busy(1, "5");
  await assert.rejects(new Client({ url: server.url, token, fetch: hasty.fetch, patience: 1000 }).createChat(), limited);
  assert.equal(hasty.refused(), 1);
  const stop = new AbortController();
  const stopped = busy(9, "5");
  const client = new Client({ url: server.url, token, fetch: stopped.fetch, onWait: () => stop.abort() });
  await assert.rejects(client.createChat({}, { signal: stop.signal }), limited);
  assert.equal(stopped.refused(), 1);
});
