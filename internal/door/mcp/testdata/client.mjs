// The stock MCP client against a Nestor server. Usage: node client.mjs SCENARIO, with the
// address, a key and the program in NESTOR_URL, NESTOR_TOKEN and NESTOR_BINARY. It talks with
// the test by lines on stdin and stdout, and fails if something is not as it should be.
import assert from "node:assert/strict";
import readline from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const { NESTOR_URL, NESTOR_TOKEN, NESTOR_BINARY } = process.env;
const EVENT = "nestor/event";

const over = {
  http: () =>
    new StreamableHTTPClientTransport(new URL(NESTOR_URL + "/mcp"), {
      requestInit: { headers: { Authorization: `Bearer ${NESTOR_TOKEN}` } },
    }),
  stdio: () =>
    new StdioClientTransport({
      command: NESTOR_BINARY,
      args: ["mcp", "--url", NESTOR_URL],
      env: { NESTOR_TOKEN, PATH: process.env.PATH },
      stderr: "inherit",
    }),
};

// connect begins a session. answer is asked for answers to elicitations; without it the
// client cannot be asked.
async function connect(transport, answer) {
  const client = new Client({ name: "stock", version: "1.0.0" }, { capabilities: answer ? { elicitation: {} } : {} });
  if (answer) {
    client.setRequestHandler(ElicitRequestSchema, (request, extra) => answer(request.params, extra));
  }
  await client.connect(over[transport]());
  return client;
}

async function call(client, name, args, options = {}) {
  const told = [];
  const result = await client.callTool({ name, arguments: args }, undefined, {
    timeout: 120_000,
    ...options,
    onprogress: (p) => {
      told.push(p);
      options.onprogress?.(p);
    },
  });
  return { ...result, told, run: result.structuredContent };
}

const lines = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const say = (line) => process.stdout.write(line + "\n");
const heard = async () => (await lines.next()).value;

const scenarios = {
  // Everything that needs no waiting.
  async talk(transport) {
    const client = await connect(transport);
    assert.equal(client.getServerVersion().name, "nestor");
    const tools = (await client.listTools()).tools;
    const names = tools.map((t) => t.name);
    for (const name of ["ask", "ask_general", "ask_researcher", "model_default", "run_status", "run_cancel", "answer"]) {
      assert.ok(names.includes(name), `no tool ${name} in ${names}`);
    }

    const first = await call(client, "ask_general", { message: "Compute 6*7" });
    assert.equal(first.run.status, "success");
    assert.match(first.content[0].text, /42/);
    assert.match(first.run.text, /42/);
    // Over stdio this client drops progress that comes in one piece with the result, so there it may hear nothing.
    if (transport === "http") {
      const began = first.told[0]._meta[EVENT];
      assert.deepEqual([began.type, began.runId, began.thread], ["run_began", first.run.runId, first.run.thread]);
      assert.ok(first.told[0].message.includes(first.run.runId));
    }
    assert.ok(first.told.every((p, i) => i === 0 || p.progress > first.told[i - 1].progress), "progress goes back");
    const types = first.told.map((p) => p._meta[EVENT].type);
    for (const type of transport === "http" ? ["agent_began", "tool_began", "tool_ended", "message", "agent_ended"] : []) {
      assert.ok(types.includes(type), `nothing told of ${type}: ${types}`);
    }

    // A thread goes on, by its id or by a name of the client's own.
    const second = await call(client, "ask_general", { message: "Compute 2+3", thread: first.run.thread });
    assert.equal(second.run.thread, first.run.thread);
    assert.notEqual(second.run.runId, first.run.runId);
    const mine = await call(client, "ask", { message: "Hello", thread: "my own / thread" });
    const again = await call(client, "ask", { message: "Hello again", thread: "my own / thread" });
    assert.equal(mine.run.thread, again.run.thread);
    const wrong = await call(client, "ask", { message: "Hello", thread: first.run.thread });
    assert.ok(wrong.isError && /ask_general/.test(wrong.content[0].text), wrong.content[0].text);

    // What the orchestrator says comes as it is said.
    const said = mine.told.map((p) => p._meta[EVENT]).filter((e) => ["text", "message"].includes(e.type));
    if (transport === "http") {
      assert.equal(said.map((e) => e.text).join(""), mine.run.text);
    }

    // A repeated call with the same key finds the run of the first.
    const once = { message: "Compute 3*3", idempotencyKey: "k1" };
    const one = await call(client, "ask_general", once);
    const two = await call(client, "ask_general", once);
    assert.equal(two.run.runId, one.run.runId);
    assert.equal(two.run.text, one.run.text);
    const other = await call(client, "ask_general", { ...once, message: "Compute 4*4" });
    assert.ok(other.isError, "another message with the same key");

    // A call need not wait.
    const early = await call(client, "ask_general", { message: "Compute 5*5", wait: 0 });
    const late = await call(client, "run_status", { runId: early.run.runId, wait: 60 });
    assert.equal(late.run.status, "success");
    assert.match(late.run.text, /25/);

    // What makes no sense is refused.
    for (const [name, args, why] of [
      ["ask", {}, /"message" is missing.*message \(string, required\), thread \(string\)/],
      ["ask", { message: "x", thred: "y" }, /no parameter "thred".*thread \(string\)/],
      ["ask", { message: 7 }, /message: .*string/],
      ["ask", { message: "x", wait: -1 }, /wait: .*wait \(integer\)/],
      ["ask", { message: "x", wait: 86_401 }, /wait: .*wait \(integer\)/],
      ["run_status", { run: "none" }, /no parameter "run".*"runId" is missing.*runId \(string, required\)/],
      ["run_status", { runId: "none", wait: null }, /no run none/],
      ["run_cancel", { runId: "" }, /runId: /],
      ["run_cancel", { runId: first.run.runId, answer: "x" }, /no parameter "answer"/],
      ["answer", { runId: first.run.runId, decision: "perhaps" }, /decision: .*"approve" \| "deny"/],
      ["answer", { runId: first.run.runId, answer: "x" }, /does not wait/],
    ]) {
      const refused = await call(client, name, args);
      assert.ok(refused.isError && why.test(refused.content[0].text), `${name} ${JSON.stringify(args)}: ${JSON.stringify(refused.content)}`);
    }
    for (const tool of (await client.listTools()).tools) {
      const results = Object.keys(tool.outputSchema.properties);
      const given = Object.keys(tool.inputSchema.properties).filter((name) => /run|thread/i.test(name));
      assert.ok(given.length > 0 && given.every((name) => results.includes(name)), `${tool.name} takes ${given}, results have ${results}`);
    }
    await assert.rejects(client.callTool({ name: "ask_nobody", arguments: { message: "x" } }), /unknown tool/);

    await reads(client, first.run);
    await client.close();
    say("ok");
  },

  // A run asks, and the client's user answers.
  async elicit(transport) {
    const asked = [];
    const client = await connect(transport, (params) => {
      asked.push(params);
      return params.requestedSchema.properties.decision
        ? { action: "accept", content: { decision: asked.length > 3 ? "deny" : "approve" } }
        : { action: "accept", content: { answer: "Friday at 8" } };
    });
    const booked = await call(client, "ask", { message: "Book a table for two" });
    assert.equal(booked.run.status, "success");
    assert.match(asked[0].message, /day and time/);
    const standing = await call(client, "ask_general", { message: "Book a table for two" });
    assert.equal(standing.run.status, "success");
    assert.match(standing.run.text, /Friday at 8/);
    const refund = { message: 'Use the refund tool with {"order": "A7"}' };
    const approved = await call(client, "ask_general", refund);
    assert.match(approved.run.text, /A7 was paid back/);
    assert.match(asked[2].message, /refund/);
    const denied = await call(client, "ask_general", refund);
    assert.doesNotMatch(denied.run.text, /A7 was paid back/);
    assert.equal(asked.length, 4);
    await client.close();
    say("ok");
  },

  // A client that cannot be asked is told what is asked, and answers with a tool.
  async answer(transport) {
    const client = await connect(transport);
    for (const tool of ["ask", "ask_general"]) {
      const waiting = await call(client, tool, { message: "Book a table for two" });
      assert.equal(waiting.run.status, "waiting");
      assert.equal(waiting.run.waitingFor.length, 1);
      assert.match(waiting.run.waitingFor[0].text, /day and time/);
      assert.ok(waiting.content.some((c) => /day and time/.test(c.text) && /answer/.test(c.text)), "the text does not say how to answer");
      const status = await call(client, "run_status", { runId: waiting.run.runId });
      assert.deepEqual(status.run.waitingFor, waiting.run.waitingFor);
      const wrong = await call(client, "answer", { runId: waiting.run.runId, decision: "approve" });
      assert.ok(wrong.isError);
      const done = await call(client, "answer", { runId: waiting.run.runId, answer: "Friday at 8" });
      assert.equal(done.run.status, "success");
      assert.equal(done.run.runId, waiting.run.runId);
    }
    const waiting = await call(client, "ask_general", { message: 'Use the refund tool with {"order": "B8"}' });
    assert.deepEqual([waiting.run.waitingFor[0].kind, waiting.run.waitingFor[0].tool], ["approval", "refund"]);
    const done = await call(client, "answer", { runId: waiting.run.runId, decision: "approve" });
    assert.match(done.run.text, /B8 was paid back/);

    const left = await call(client, "ask", { message: "Book a table for two" });
    const cancelled = await call(client, "run_cancel", { runId: left.run.runId });
    assert.equal(cancelled.run.status, "cancelled");
    await client.close();
    say("ok");
  },

  // Somebody else answers while the client's user is asked.
  async elsewhere(transport) {
    const other = await connect("http");
    let takenBack;
    const isTakenBack = new Promise((resolve) => (takenBack = resolve));
    let begun;
    const client = await connect(transport, async (_, extra) => {
      const done = new Promise((resolve) => extra.signal.addEventListener("abort", resolve));
      assert.equal((await call(other, "answer", { runId: begun, answer: "Friday at 8", wait: 0 })).isError ?? false, false);
      await done;
      takenBack();
      return { action: "cancel" };
    });
    const booked = await call(client, "ask", { message: "Book a table for two" }, { onprogress: (p) => (begun ??= p._meta[EVENT].runId) });
    assert.equal(booked.run.status, "success");
    await isTakenBack;
    await client.close();
    await other.close();
    say("ok");
  },

  // The model is held by the test, so that calls last.
  async cancel(transport) {
    const client = await connect(transport);
    const abort = new AbortController();
    let run;
    const calling = call(client, "ask", { message: "Hello" }, {
      signal: abort.signal,
      onprogress: (p) => {
        run ??= p._meta[EVENT].runId;
        abort.abort();
      },
    });
    await assert.rejects(calling);
    const status = await call(client, "run_status", { runId: run, wait: 60 });
    say(status.run.status);
    await client.close();
    say("ok");
  },

  // A client that goes away leaves its run as it is.
  async leave(transport) {
    const client = await connect(transport);
    const run = await new Promise((resolve) => {
      call(client, "ask", { message: "Hello" }, { onprogress: (p) => resolve(p._meta[EVENT].runId) }).catch(() => {});
    });
    if (transport === "http") {
      await client.transport.terminateSession();
    }
    await client.close();
    say("left");
    assert.equal(await heard(), "go on");
    const other = await connect(transport);
    const status = await call(other, "run_status", { runId: run, wait: 60 });
    assert.equal(status.run.status, "success");
    await other.close();
    say("ok");
  },

  // The server is killed in the middle of a call and started again.
  async killed(transport) {
    const client = await connect(transport);
    const args = { message: "Research Go, Rust and Zig", thread: "killed " + transport, idempotencyKey: "k" };
    let broken;
    const run = await new Promise((resolve) => {
      broken = call(client, "ask", args, { onprogress: (p) => resolve(p._meta[EVENT].runId) }).then(
        () => assert.fail("the call of a server that was killed ended"),
        (error) => error,
      );
    });
    say("run " + run);
    assert.equal(await heard(), "back");
    // The bridge over stdio says that the connection broke, and begins another session by
    // itself. Over HTTP the client connects again.
    let again = client;
    if (transport === "stdio") {
      assert.match((await broken).message, /broke off|cannot be reached/);
    } else {
      again = await connect(transport);
    }
    const status = await call(again, "run_status", { runId: run, wait: 100 });
    assert.equal(status.run.status, "success");
    const repeated = await call(again, "ask", args);
    assert.equal(repeated.run.runId, run);
    assert.equal(repeated.run.text, status.run.text);
    await again.close();
    say("ok");
    process.exit(0); // the broken client tries to connect for a while
  },
};

// reads reads resources and prompts.
async function reads(client, run) {
  const listed = [];
  for (let cursor; ; ) {
    const page = await client.listResources({ cursor });
    listed.push(...page.resources.map((r) => r.uri));
    if (!(cursor = page.nextCursor)) break;
  }
  const chat = `nestor://chats/${run.thread}`;
  assert.ok(listed.includes(chat) && listed.includes(`nestor://runs/${run.runId}`), `listed are ${listed}`);
  const read = async (uri) => (await client.readResource({ uri })).contents[0];
  assert.match((await read(chat)).text, /\*\*user\*\*: Compute 6\*7[^]*42/);
  assert.equal(JSON.parse((await read(`nestor://runs/${run.runId}`)).text).run.status, "success");
  const user = JSON.parse((await read(`nestor://runs/${run.runId}`)).text).run.userId;
  assert.equal(JSON.parse((await read(`nestor://documents/users/${user}/orch-chats/${run.thread}`)).text).participant, "agent:general");
  for (const uri of ["nestor://chats/none", "nestor://documents/users/other/orch-chats/c1", "nestor://documents/odd", "http://example.com/"]) {
    await assert.rejects(client.readResource({ uri }), (e) => e.code === -32002, uri);
  }
  assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 3);
  const suggested = await client.complete({ ref: { type: "ref/resource", uri: "nestor://chats/{id}" }, argument: { name: "id", value: run.thread.slice(0, 10) } });
  assert.ok(suggested.completion.values.includes(run.thread));

  const updated = new Promise((resolve) => {
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, (n) => resolve(n.params.uri));
  });
  await client.subscribeResource({ uri: chat });
  await call(client, "ask_general", { message: "Compute 7*7", thread: run.thread });
  assert.equal(await updated, chat);
  await client.unsubscribeResource({ uri: chat });

  assert.ok((await client.listPrompts()).prompts.some((p) => p.name === "ask_researcher"));
  const prompt = await client.getPrompt({ name: "ask_researcher", arguments: { message: "Compare Go and Rust" } });
  assert.match(prompt.messages[0].content.text, /ask_researcher[^]*Compare Go and Rust/);
  await assert.rejects(client.getPrompt({ name: "ask_researcher", arguments: {} }), /"message" is missing.*thread/);
}

await scenarios[process.argv[2]](process.argv[3]);
process.exit(0);
