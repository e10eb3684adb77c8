// What tests do with the stock client of AG-UI: node client.mjs SCENARIO, with the
// address of the server and a key in the environment. A scenario fails by an assertion.
import assert from "node:assert/strict";
import { createInterface } from "node:readline";

// The client of before 1.0, which CopilotKit has, refuses what it does not know.
const { NESTOR_URL: url, NESTOR_KEY: key, AGUI_BEFORE_1: before1 } = process.env;
const { HttpAgent } = await import(before1 ? "@ag-ui/client-before-1" : "@ag-ui/client");
const { EventSchemas } = await import(before1 ? "@ag-ui/core-before-1" : "@ag-ui/core/schemas");

function agent(participant, options = {}) {
  return new HttpAgent({
    url: `${url}/agui/${participant}`,
    headers: { Authorization: `Bearer ${options.key ?? key}` },
    threadId: "thread-1",
    ...options,
  });
}

// run runs an agent and returns what it was told.
async function run(a, parameters = {}, more = {}) {
  const events = [];
  const result = await a.runAgent(parameters, {
    onEvent: ({ event }) => {
      EventSchemas.parse(event);
      events.push(event);
    },
    ...more,
  });
  return { events, ...result };
}

async function api(path, body) {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const res = await fetch(`${url}/api/v1/${path}`, { headers, ...(body && { method: "POST", body: JSON.stringify(body) }) });
  assert.ok(res.ok, `${path}: ${res.status}`);
  return res.json();
}

const says = (a, content, id = crypto.randomUUID()) => a.addMessage({ id, role: "user", content });
const types = (events) => events.map((e) => e.type).filter((t) => !t.startsWith("STATE_") && t !== "TEXT_MESSAGE_CONTENT");
const texts = (a) => a.messages.filter((m) => m.content).map((m) => `${m.role}: ${m.content}`);
const last = (events) => events[events.length - 1];

const scenarios = {
  async text() {
    const a = agent("model:default", { initialState: { theme: "dark" } });
    says(a, "Hello");
    const { events, newMessages, result } = await run(a);
    assert.deepEqual(types(events), [
      "RUN_STARTED",
      "REASONING_START",
      "REASONING_MESSAGE_START",
      "REASONING_MESSAGE_CONTENT",
      "REASONING_MESSAGE_END",
      "REASONING_END",
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_END",
      "RUN_FINISHED",
    ]);
    assert.deepEqual(texts(a), ["user: Hello", "reasoning: A greeting.", "assistant: Hello, you."]);
    assert.deepEqual(newMessages.map((m) => m.role), ["reasoning", "assistant"]);
    assert.equal(events[0].protocolVersion, "1.0");
    assert.equal(last(events).outcome.type, "success");
    assert.equal(last(events).usage[0].inputTokens, 11);
    assert.equal(a.state.theme, "dark");
    assert.equal(a.state.run.status, "success");
    assert.equal(a.state.usage.outputTokens, 4);
    assert.equal(result.id, a.state.run.id);
    // The next turn knows the first one, and a snapshot is needed by nobody.
    says(a, "And now?");
    const second = await run(a);
    assert.deepEqual(types(second.events), ["RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_END", "RUN_FINISHED"]);
    assert.equal(texts(a)[4], "assistant: Still here.");
    // A client that is new to the thread gets its messages without saying anything.
    const fresh = agent("model:default");
    const { events: told } = await run(fresh);
    assert.deepEqual(types(told), ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"]);
    assert.deepEqual(texts(fresh), ["user: Hello", "assistant: Hello, you.", "user: And now?", "assistant: Still here."]);
    // One that repeats its last request is told the same again, and has it once.
    const again = await run(a);
    assert.ok(types(again.events).includes("MESSAGES_SNAPSHOT"));
    assert.deepEqual(texts(a).filter((t) => t.startsWith("assistant")), ["assistant: Hello, you.", "assistant: Still here."]);
  },

  async agents() {
    const a = agent("orchestrator");
    a.addMessage({ id: "s1", role: "system", content: "Answer in German." });
    says(a, "What is 6*7?");
    const seen = [];
    const { events } = await run(a, { context: [{ description: "Time zone", value: "CET" }] }, {
      onStateChanged: ({ state }) => seen.push(state.agents?.map((s) => s.status).join()),
      onToolCallEndEvent: ({ toolCallName, toolCallArgs }) => seen.push(`${toolCallName} ${JSON.stringify(toolCallArgs)}`),
    });
    const started = events.find((e) => e.type === "SUBAGENT_STARTED");
    assert.equal(started.name, "general");
    const call = events.find((e) => e.type === "TOOL_CALL_START");
    assert.equal(call.subagentRunId, started.subagentRunId);
    assert.equal(events.find((e) => e.type === "TOOL_CALL_RESULT").content, "42");
    const finished = events.find((e) => e.type === "SUBAGENT_FINISHED");
    assert.equal(finished.outcome.type, "success");
    assert.equal(finished.result, "It is 42.");
    assert.ok(seen.includes('calculator {"expression":"6*7"}'), String(seen));
    assert.ok(seen.includes("active") && seen.includes("completed"), String(seen));
    const own = a.messages.filter((m) => m.role === "assistant" && m.content && !m.subagentRunId).map((m) => m.content);
    assert.deepEqual(own, ["I will have that worked out.", "It is 42."]);
    assert.equal(last(events).type, "RUN_FINISHED");
    assert.equal(a.state.agents[0].role, "general");
  },

  async question() {
    const a = agent("agent:general");
    says(a, "Write to bob.");
    const { events } = await run(a);
    const { outcome } = last(events);
    assert.equal(outcome.type, "interrupt");
    assert.equal(outcome.interrupts.length, 1);
    assert.equal(outcome.interrupts[0].reason, "input_required");
    assert.equal(outcome.interrupts[0].message, "Which bob?");
    assert.equal(a.pendingInterrupts.length, 1);
    assert.equal(a.state.run.status, "waiting");
    const resume = [{ interruptId: outcome.interrupts[0].id, status: "resolved", payload: "Bob Miller." }];
    const { events: after } = await run(a, { resume });
    assert.ok(!types(after).includes("MESSAGES_SNAPSHOT"), String(types(after)));
    assert.equal(last(after).outcome.type, "success");
    assert.equal(texts(a).at(-1), "assistant: Written.");
    // The same answer again changes nothing, and tells the same.
    const before = texts(a);
    await run(a, { resume });
    assert.deepEqual(texts(a), before);
  },

  async below() {
    const a = agent("orchestrator");
    says(a, "Write to bob.");
    const { events } = await run(a);
    const { outcome } = last(events);
    assert.equal(outcome.type, "interrupt");
    const [asked] = outcome.interrupts;
    const finished = events.find((e) => e.type === "SUBAGENT_FINISHED");
    assert.deepEqual(finished.outcome, { type: "suspended", interruptIds: [asked.id] });
    assert.equal(finished.subagentRunId, asked.subagentRunId);
    const { events: after } = await run(a, { resume: [{ interruptId: asked.id, status: "resolved", payload: { answer: "Bob Miller." } }] });
    assert.equal(after.find((e) => e.type === "SUBAGENT_STARTED").subagentRunId, asked.subagentRunId);
    assert.equal(last(after).outcome.type, "success");
    const own = a.messages.filter((m) => m.role === "assistant" && m.content && !m.subagentRunId).map((m) => m.content);
    assert.deepEqual(own, ["Which bob?", "Written."]); // also for a client that cannot tell who says it
  },

  // plainly answers a question by saying something, as a page does that was loaded anew.
  async plainly() {
    for (const participant of ["orchestrator", "agent:general"]) {
      const a = agent(participant);
      says(a, "Book a table for two");
      assert.equal(last((await run(a)).events).outcome.type, "interrupt");
      const fresh = agent(participant);
      says(fresh, "Friday at 8");
      const { events } = await run(fresh);
      assert.ok(types(events).includes("MESSAGES_SNAPSHOT"));
      assert.equal(last(events).outcome?.type, "success", JSON.stringify(events));
      const own = fresh.messages.filter((m) => m.content && !m.subagentRunId).map((m) => m.content);
      assert.equal(own[0], "Book a table for two");
      assert.match(own.at(-1), /Friday at 8/);
      assert.equal(new Set(own).size, own.length, `something is told twice: ${own}`);
      assert.equal(fresh.state.run.status, "success");
      if (participant === "orchestrator") assert.equal(events.find((e) => e.type === "SUBAGENT_FINISHED").outcome.type, "success");
    }
  },

  async approval() {
    for (const [thread, payload, content, said] of [
      ["yes", { approved: true }, "paid 12", "assistant: Paid."],
      ["other", { approved: true, args: { cents: 7 } }, "paid 7", "assistant: Paid."],
      ["no", { approved: false, reason: "too much" }, "Error: the user denied this call: too much", "assistant: Not paid."],
    ]) {
      const a = agent("agent:general", { threadId: thread });
      says(a, "Pay 12 cents.");
      const { events } = await run(a);
      const { outcome } = last(events);
      assert.equal(outcome.type, "interrupt");
      assert.equal(outcome.interrupts[0].reason, "tool_call");
      const call = events.find((e) => e.type === "TOOL_CALL_START");
      assert.equal(call.toolCallName, "pay");
      assert.equal(call.toolCallId, outcome.interrupts[0].toolCallId);
      const bad = await run(a, { resume: [{ interruptId: call.toolCallId, status: "resolved", payload: "what?" }] }).catch((e) => e);
      assert.equal(bad.status, 400);
      const { events: after } = await run(a, { resume: [{ interruptId: call.toolCallId, status: "resolved", payload }] });
      assert.equal(after.find((e) => e.type === "TOOL_CALL_RESULT").content, content);
      assert.ok(!types(after).includes("TOOL_CALL_START"), `the call is told twice: ${JSON.stringify(after)}`);
      assert.equal(texts(a).at(-1), said);
    }
  },

  async frontend() {
    const tools = [
      { name: "ask_color", description: "Asks for a colour.", parameters: { type: "object", properties: { of: { type: "string" } }, required: ["of"] } },
      { name: "confirm", description: "Confirms.", parameters: { type: "object", properties: {} } },
    ];
    const a = agent("agent:general");
    says(a, "Paint the house.");
    const { events } = await run(a, { tools });
    const { outcome } = last(events);
    const call = events.find((e) => e.type === "TOOL_CALL_START");
    assert.equal(call.toolCallName, "ask_color");
    assert.deepEqual(outcome, before1 ? undefined : { type: "success", pendingToolCallIds: [call.toolCallId] });
    assert.deepEqual(a.messages.at(-1).toolCalls[0].function, { name: "ask_color", arguments: '{"of":"house"}' });
    a.addMessage({ id: "t1", role: "tool", toolCallId: call.toolCallId, content: "blue" });
    const second = await run(a, { tools });
    assert.ok(!types(second.events).includes("MESSAGES_SNAPSHOT") && !types(second.events).includes("TOOL_CALL_RESULT"), String(types(second.events)));
    const confirm = second.events.find((e) => e.type === "TOOL_CALL_START");
    assert.equal(confirm.toolCallName, "confirm");
    a.addMessage({ id: "t2", role: "tool", toolCallId: confirm.toolCallId, content: "", error: "the window was closed" });
    const third = await run(a, { tools });
    assert.equal(last(third.events).outcome.type, "success");
    assert.equal(last(third.events).outcome.pendingToolCallIds, undefined);
    assert.equal(texts(a).at(-1), "assistant: Blue, unconfirmed.");
    assert.deepEqual(a.messages.map((m) => m.role), ["user", "assistant", "tool", "assistant", "tool", "assistant"]);
    // A page that was loaded anew has it all.
    const fresh = agent("agent:general");
    await run(fresh);
    assert.equal(texts(fresh).at(-1), "assistant: Blue, unconfirmed.");
    const bad = agent("agent:general", { threadId: "bad" });
    says(bad, "Hello");
    assert.equal((await run(bad, { tools: [{ name: "final_answer", description: "x" }] }).catch((e) => e)).status, 400);
  },

  // copilot has CopilotKit run a tool of the page, and go on with its result.
  async copilot() {
    const { CopilotKitCore } = await import("@copilotkit/core");
    const { HttpAgent } = await import("@ag-ui/client-before-1");
    const a = new HttpAgent({ url: `${url}/agui/agent:general`, headers: { Authorization: `Bearer ${key}` }, agentId: "general", threadId: "thread-1" });
    const core = new CopilotKitCore({ agents__unsafe_dev_only: { general: a } });
    const failures = [];
    core.subscribe({ onError: (e) => failures.push(String(e.error)) });
    const colour = {
      "~standard": {
        version: 1, vendor: "nestor", validate: (value) => ({ value }),
        jsonSchema: { input: () => ({ type: "object", properties: { of: { type: "string" } }, required: ["of"] }) },
      },
    };
    core.addTool({ name: "ask_color", description: "Asks for a colour.", parameters: colour, handler: async ({ of }) => `the ${of} is blue` });
    says(a, "Paint the house.");
    await core.runAgent({ agent: a });
    assert.deepEqual(failures, []);
    assert.equal(texts(a).at(-1), "assistant: A blue house.");
    assert.deepEqual(a.messages.map((m) => m.role), ["user", "assistant", "tool", "assistant"]);
  },

  async cancelled() {
    const a = agent("model:default");
    says(a, "Wait.");
    const { events } = await run(a, {}, {
      onTextMessageContentEvent: async () => void (await api(`runs/${a.state.run.id}/cancel`, {})),
    });
    assert.equal(last(events).outcome?.type, before1 ? undefined : "cancelled");
    assert.equal(last(events).result.status, "cancelled");
    assert.equal(a.state.run.status, "cancelled");
    assert.deepEqual(a.pendingInterrupts, []);
  },

  async graph() {
    const node = (id, nodeId, parameters = {}) => ({ id, nodeId, position: { x: 1, y: 2 }, parameters });
    const edge = (sourceNodeId, sourcePortId, targetNodeId, targetPortId) => ({ sourceNodeId, sourcePortId, targetNodeId, targetPortId });
    await api("records/agent_graphs", {
      id: "echo",
      name: "Echo",
      nodes: [node("m", "on-chat-message"), node("j", "join", { separator: "|" }), node("w", "write-chat-message")],
      edges: [edge("m", "signal", "j", "run"), edge("m", "text", "j", "a"), edge("m", "text", "j", "b"), edge("j", "done", "w", "run"), edge("j", "text", "w", "text"), edge("m", "chat", "w", "chat")],
    });
    const a = agent("graph:echo");
    says(a, "Hello");
    const { events } = await run(a);
    assert.deepEqual(types(events), ["RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_END", "RUN_FINISHED"]);
    assert.deepEqual(texts(a), ["user: Hello", "assistant: Hello|Hello"]);
  },

  async picture() {
    const a = agent("model:default");
    const value = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    says(a, [{ type: "text", text: "What is this?" }, { type: "image", source: { type: "data", value, mimeType: "image/png" } }]);
    await run(a);
    assert.equal(texts(a).at(-1), "assistant: A dot.");
    const files = await api("files");
    assert.deepEqual(files.items.map((f) => [f.mediaType, f.size]), [["image/png", Buffer.from(value, "base64").length]]);
    const { run: done } = await api(`runs/${a.state.run.id}`);
    const said = await api(`chats/${done.chatId}/messages`);
    assert.deepEqual(said.items[0].parts.map((p) => p.fileId), [undefined, files.items[0].id]);
    // A file that is there already is named.
    says(a, [{ type: "text", text: "And this?" }, { type: "image", source: { type: "file", value: files.items[0].id, provider: "nestor" } }]);
    await run(a);
    assert.equal(texts(a).at(-1), "assistant: The same.");
  },

  async failures() {
    const a = agent("model:default", { threadId: "fails" });
    says(a, "Fail.");
    const told = [];
    await run(a, {}, { onRunErrorEvent: ({ event }) => told.push(event) });
    assert.equal(told.length, 1);
    assert.match(told[0].message, /sense/);
    const retried = agent("model:default", { threadId: "retries" });
    says(retried, "Try.");
    const { events } = await run(retried);
    assert.deepEqual(texts(retried), ["user: Try.", "assistant: Second."]);
    assert.equal(last(events).outcome.type, "success");

    const refused = async (a, parameters) => {
      const e = await run(a, parameters).catch((e) => e);
      return [e.status, e.payload?.error?.code];
    };
    const nobody = agent("orchestrator", { key: "nst_wrong" });
    says(nobody, "Hello");
    assert.deepEqual(await refused(nobody), [401, "unauthenticated"]);
    const unknown = agent("agent:nobody");
    says(unknown, "Hello");
    assert.deepEqual(await refused(unknown), [400, "invalid"]);
    assert.deepEqual(await refused(agent("orchestrator", { threadId: "empty" })), [400, "invalid"]);
    const picture = agent("orchestrator");
    says(picture, [{ type: "image", source: { type: "url", value: "https://example.com/a.png" } }]);
    assert.deepEqual(await refused(picture), [400, "invalid"]);
    const reader = agent("orchestrator", { key: process.env.NESTOR_READ_KEY });
    says(reader, "Hello");
    assert.deepEqual(await refused(reader), [403, "forbidden"]);
    const other = agent("agent:general", { threadId: "fails" });
    assert.deepEqual(await refused(other, { resume: [{ interruptId: "a.b", status: "resolved", payload: true }] }), [404, "not_found"]);
  },

  // A second user has a thread of the same name, and nothing of the first one's.
  async others() {
    const a = agent("agent:general");
    says(a, "Write to bob.");
    const { events } = await run(a);
    const id = last(events).outcome.interrupts[0].id;
    const b = agent("agent:general", { key: process.env.NESTOR_OTHER_KEY });
    const resume = [{ interruptId: id, status: "resolved", payload: "Bob Miller." }];
    assert.equal((await run(b, { resume }).catch((e) => e)).status, 404);
    says(b, "Hello");
    await run(b);
    assert.deepEqual(texts(b), ["user: Hello", "assistant: Hello, you."]);
  },

  // killed says when the stream has begun, and asks again when it is told to.
  async killed() {
    // The client cancels a reader whose connection is gone and leaves the failure to the page.
    process.on("unhandledRejection", (e) => assert.equal(e.message, "terminated"));
    const a = agent("model:default");
    says(a, "Tell me a story.", "m1");
    const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
    let half = "";
    const cut = await run(a, {}, {
      onTextMessageContentEvent: ({ event }) => {
        half += event.delta;
        if (half === "Once") console.log("half");
      },
    }).catch((e) => e);
    assert.ok(cut instanceof Error, "the stream was not cut");
    assert.deepEqual(texts(a).at(-1), "assistant: Once");
    await lines.next();
    const { events } = await run(a);
    assert.equal(last(events).outcome.type, "success");
    assert.deepEqual(texts(a), ["user: Tell me a story.", "assistant: Once upon a time."]);
  },
};

await scenarios[process.argv[2]]();
process.exit(0); // whoever reads lines would wait for more
