// What is done here to a server is what any program does with the stock client: from its
// card to its last event. It ends with an error if something is not as it should be.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory } from "@a2a-js/sdk/client";

export function withKey(key) {
  return (url, init) => fetch(url, { ...init, headers: { ...init?.headers, Authorization: `Bearer ${key}` } });
}

export function connect(base, key) {
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl: withKey(key) })],
    }),
  );
  return factory.createFromUrl(base);
}

export const say = (text, more) => ({
  message: { kind: "message", messageId: randomUUID(), role: "user", parts: [{ kind: "text", text }], ...more?.message },
  configuration: more?.configuration,
});

export const textOf = (task) =>
  (task.artifacts ?? []).map((a) => a.parts.map((p) => p.text).join("")).filter((t) => t !== "");

// gather plays a stream back to what a client shows in the end.
export async function gather(stream, each) {
  const seen = { states: [], events: [], artifacts: new Map() };
  for await (const e of stream) {
    seen.events.push(e);
    if (e.kind === "task") [seen.id, seen.context] = [e.id, e.contextId];
    if (e.kind === "task" || e.kind === "status-update") {
      if (seen.states.at(-1) !== e.status.state) seen.states.push(e.status.state);
      seen.last = e;
    }
    if (e.kind === "artifact-update") {
      const before = e.append ? (seen.artifacts.get(e.artifact.artifactId) ?? "") : "";
      seen.artifacts.set(e.artifact.artifactId, before + e.artifact.parts.map((p) => p.text).join(""));
    }
    await each?.(e, seen);
  }
  seen.texts = [...seen.artifacts.values()].filter((t) => t !== "");
  return seen;
}

const fails = async (promise, name) => {
  try {
    await promise;
  } catch (e) {
    assert.match(`${e.constructor.name} ${e.message} ${e.cause?.constructor.name}`, name);
    return;
  }
  assert.fail(`no error like ${name}`);
};

const scenarios = {
  async "the card says how to talk, and nothing of users"(base, key) {
    const card = await (await fetch(`${base}/.well-known/agent-card.json`)).json();
    assert.equal(card.protocolVersion, "0.3.0");
    assert.equal(card.url, `${base}/a2a/orchestrator`);
    assert.deepEqual(card.skills.map((s) => s.id), ["agent:general", "agent:researcher"]);
    assert.equal(card.securitySchemes.apiKey.scheme, "Bearer");
    const client = await connect(base, key);
    const extended = await client.transport.getExtendedAgentCard();
    assert.ok(extended.skills.some((s) => s.id === "orchestrator") && extended.skills.some((s) => s.id === "model:default"), JSON.stringify(extended));
    assert.equal((await fetch(`${base}/a2a/agent:nobody/.well-known/agent-card.json`)).status, 404);
    assert.equal((await (await fetch(`${base}/a2a/agent:researcher/.well-known/agent-card.json`)).json()).name, "researcher");
  },

  async "a message is answered"(base, key) {
    const client = await connect(base, key);
    const params = say("Compute 6*7");
    const task = await client.sendMessage(params);
    assert.equal(task.kind, "task");
    assert.equal(task.status.state, "completed");
    assert.match(textOf(task).at(-1), /42/);
    assert.deepEqual(await client.getTask({ id: task.id }), task);
    assert.equal((await client.getTask({ id: task.id, historyLength: 0 })).history, undefined);
    // What is sent again begins nothing new, and another message goes on in the context.
    const again = await client.sendMessage(params);
    assert.deepEqual([again.id, again.contextId], [task.id, task.contextId]);
    const more = await client.sendMessage(say("Hello", { message: { contextId: task.contextId } }));
    assert.equal(more.contextId, task.contextId);
    assert.notEqual(more.id, task.id);
    // Who does not want to wait asks later.
    const early = await client.sendMessage(say("Compute 7*8", { configuration: { blocking: false } }));
    assert.ok(["submitted", "working", "completed"].includes(early.status.state));
    const late = await gather(client.resubscribeTask({ id: early.id }));
    assert.equal(late.states.at(-1), "completed");
    assert.match(late.texts.at(-1), /56/);
  },

  async "a stream tells what happens"(base, key) {
    const client = await connect(base, key);
    const seen = await gather(client.sendMessageStream(say("Compute 6*7")));
    assert.deepEqual(seen.states, ["submitted", "working", "completed"]);
    assert.ok(seen.last.final);
    assert.ok(seen.events.some((e) => e.metadata?.nestor?.tool === "calculator"));
    const task = await client.getTask({ id: seen.id });
    assert.deepEqual(seen.texts, textOf(task));
    const again = await gather(client.resubscribeTask({ id: seen.id }));
    assert.deepEqual(again.texts, seen.texts);
    assert.deepEqual(again.states, seen.states);
  },

  async "an agent asks, and goes on with the answer"(base, key) {
    for (const at of [base, `${base}/a2a/agent:general/`]) {
      const client = await connect(at, key);
      const asked = await client.sendMessage(say("Book a table for two"));
      assert.equal(asked.status.state, "input-required", JSON.stringify(asked));
      assert.match(asked.status.message.parts[0].text, /\?/);
      const answer = say("Friday at 8", { message: { taskId: asked.id, contextId: asked.contextId } });
      const seen = await gather(client.sendMessageStream(answer));
      assert.equal(seen.id, asked.id);
      assert.equal(seen.states.at(-1), "completed", JSON.stringify(seen.events));
      assert.match(seen.texts.join("\n"), /Friday at 8/);
      assert.equal((await client.getTask({ id: asked.id })).status.state, "completed");
      // Who comes later sees it all, past the question.
      assert.equal((await gather(client.resubscribeTask({ id: asked.id }))).states.at(-1), "completed");
      await fails(client.sendMessage(say("And?", { message: { taskId: asked.id } })), /UnsupportedOperation/);
    }
  },

  async "a call waits for approval"(base, key) {
    const client = await connect(`${base}/a2a/agent:general/`, key);
    const waits = () => client.sendMessage(say('Use the pay tool with {"cents": 1200}'));
    const first = await waits();
    assert.equal(first.status.state, "input-required", JSON.stringify(first));
    const asked = first.status.message.parts.find((p) => p.kind === "data").data.nestor.approvals[0];
    assert.deepEqual([asked.tool, asked.args], ["pay", { cents: 1200 }]);
    const about = { taskId: first.id, contextId: first.contextId };
    await fails(client.sendMessage(say("perhaps", { message: about })), /-32602/);
    const approval = say("", { message: { ...about, parts: [{ kind: "data", data: { callId: asked.callId, action: "approve" } }] } });
    const done = await client.sendMessage(approval);
    assert.deepEqual(await client.sendMessage(approval), done); // sent again, it is neither decided nor said again
    assert.equal(done.status.state, "completed", JSON.stringify(done));
    assert.match(textOf(done).join("\n"), /1200 cents were paid/);
    const second = await waits();
    const denied = await client.sendMessage(say("deny it is too much", { message: { taskId: second.id } }));
    assert.equal(denied.status.state, "completed");
    assert.doesNotMatch(textOf(denied).join("\n"), /were paid/);
  },

  async "a task is cancelled"(base, key) {
    const client = await connect(base, key);
    const waiting = await client.sendMessage(say("Book a table for two"));
    const cancelled = await client.cancelTask({ id: waiting.id });
    assert.equal(cancelled.status.state, "canceled");
    await fails(client.cancelTask({ id: waiting.id }), /TaskNotCancelable/);
  },

  async "files come along"(base, key) {
    const client = await connect(`${base}/a2a/model:seeing/`, key);
    const file = { kind: "file", file: { name: "note.txt", mimeType: "text/plain", bytes: Buffer.from("The word is teapot.").toString("base64") } };
    const params = say("What is the word?");
    params.message.parts.push(file);
    const task = await client.sendMessage(params);
    assert.match(textOf(task).join("\n"), /The word is teapot\./, JSON.stringify(task));
    assert.equal((await client.sendMessage(params)).id, task.id); // the same file again
    const wrong = say("What is the word?");
    wrong.message.parts.push({ kind: "file", file: { name: "x.txt", bytes: "*" } });
    await fails(client.sendMessage(wrong), /-32602/);
  },

  async "notifications arrive"(base, key, other) {
    const got = [];
    const hook = createServer((req, res) => {
      let body = "";
      req.on("data", (part) => (body += part));
      req.on("end", () => {
        res.end();
        got.push({ headers: req.headers, task: JSON.parse(body) });
        hook.emit("notified");
      });
    });
    await new Promise((resolve) => hook.listen(0, "127.0.0.1", resolve));
    const notified = async (n) => {
      while (got.length < n) await once(hook, "notified");
    };
    const url = `http://127.0.0.1:${hook.address().port}/hook`;
    try {
      const client = await connect(base, key);
      // With the message: it waits, and ends.
      const pushNotificationConfig = { id: "mine", url, token: "a secret token", authentication: { schemes: ["Bearer"], credentials: "a secret key" } };
      const asked = await client.sendMessage(say("Book a table for two", { configuration: { blocking: false, pushNotificationConfig } }));
      await notified(1);
      assert.equal(got[0].task.id, asked.id);
      assert.equal(got[0].task.status.state, "input-required");
      assert.equal(got[0].headers["x-a2a-notification-token"], "a secret token");
      assert.equal(got[0].headers.authorization, "Bearer a secret key");
      await client.sendMessage(say("Friday at 8", { message: { taskId: asked.id } }));
      await notified(2);
      assert.equal(got[1].task.status.state, "completed");
      assert.match(textOf(got[1].task).join("\n"), /Friday at 8/);
      // Set, get, list, delete. What is secret does not come back.
      const config = { taskId: asked.id, pushNotificationConfig: { id: "second", url } };
      assert.deepEqual(await client.setTaskPushNotificationConfig(config), config);
      await notified(3); // the task had ended
      assert.equal(got[2].task.id, asked.id);
      const all = await client.listTaskPushNotificationConfig({ id: asked.id });
      assert.deepEqual(all.map((c) => c.pushNotificationConfig.id).sort(), ["mine", "second"]);
      assert.doesNotMatch(JSON.stringify(all), /secret/);
      assert.deepEqual(await client.getTaskPushNotificationConfig({ id: asked.id, pushNotificationConfigId: "second" }), config);
      await client.deleteTaskPushNotificationConfig({ id: asked.id, pushNotificationConfigId: "second" });
      await fails(client.getTaskPushNotificationConfig({ id: asked.id, pushNotificationConfigId: "second" }), /TaskNotFound/);
      assert.equal((await client.listTaskPushNotificationConfig({ id: asked.id })).length, 1);
      // Nobody else's, and nowhere.
      const theirs = await connect(base, other);
      await fails(theirs.setTaskPushNotificationConfig(config), /TaskNotFound/);
      await fails(theirs.listTaskPushNotificationConfig({ id: asked.id }), /TaskNotFound/);
      await fails(client.setTaskPushNotificationConfig({ taskId: asked.id, pushNotificationConfig: { url: "ftp://x" } }), /-32602/);
    } finally {
      hook.close();
      hook.closeAllConnections();
    }
  },

  async "who may not is refused"(base, key, other) {
    const mine = await (await connect(base, key)).sendMessage(say("Hello"));
    const theirs = await connect(base, other);
    await fails(theirs.getTask({ id: mine.id }), /TaskNotFound/);
    await fails(theirs.cancelTask({ id: mine.id }), /TaskNotFound/);
    await fails(gather(theirs.resubscribeTask({ id: mine.id })), /TaskNotFound/);
    await fails(theirs.sendMessage(say("Hi", { message: { taskId: mine.id } })), /TaskNotFound/);
    // A context of the same name is another one.
    const same = await theirs.sendMessage(say("Hello", { message: { contextId: mine.contextId } }));
    assert.notEqual(same.id, mine.id);
    assert.equal((await (await connect(base, key)).getTask({ id: mine.id })).history.length, 2);
    const reader = await connect(base, process.env.NESTOR_READ_KEY);
    assert.equal((await reader.getTask({ id: mine.id })).id, mine.id);
    await fails(reader.sendMessage(say("Hello", { message: { contextId: mine.contextId } })), /-32000/);
    await fails(reader.cancelTask({ id: (await (await connect(base, key)).sendMessage(say("Book a table for two"))).id }), /-32000/);
    for (const bad of ["nst_k_wrong", ""]) {
      const res = await fetch(`${base}/a2a/orchestrator`, {
        method: "POST", headers: { Authorization: `Bearer ${bad}` }, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tasks/get", params: { id: mine.id } }),
      });
      assert.equal(res.status, 401);
      assert.equal((await res.json()).jsonrpc, "2.0");
    }
  },

  async "what makes no sense is refused"(base, key) {
    const client = await connect(base, key);
    await fails(client.getTask({ id: "../x" }), /TaskNotFound/);
    await fails(client.sendMessage(say("   ")), /-32602/);
    await fails(client.sendMessage(say("x", { message: { contextId: "a/b" } })), /-32602/);
    await fails(client.sendMessage(say("x", { message: { parts: [{ kind: "file", file: { uri: "https://example.com/x" } }] } })), /ContentTypeNotSupported/);
    await fails((await connect(`${base}/a2a/model:none/`, key)).sendMessage(say("x")), /-32602/);
    const rpc = async (body) => (await withKey(key)(`${base}/a2a/orchestrator`, { method: "POST", body })).json();
    assert.equal((await rpc("{")).error.code, -32700);
    assert.equal((await rpc(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tasks/none" }))).error.code, -32601);
  },
};

const { NESTOR_URL: base, NESTOR_KEY: key, NESTOR_OTHER_KEY: other } = process.env;
if (process.argv[1] === new URL(import.meta.url).pathname) {
  for (const [name, run] of Object.entries(scenarios)) {
    try {
      await run(base, key, other);
    } catch (e) {
      console.error(`${name}: ${e.stack}\n${JSON.stringify(e.errorResponse ?? "")}`);
      process.exitCode = 1;
    }
  }
  console.log(`${Object.keys(scenarios).length} scenarios`);
}
