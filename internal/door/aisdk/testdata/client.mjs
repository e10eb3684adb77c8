// What tests do with the stock AI SDK: node client.mjs SCENARIO, with the address of the
// server and a key in the environment. A scenario fails by an assertion. Chat is what
// useChat is made of, with an array for its state in place of React's.
import assert from "node:assert/strict";
import { createInterface } from "node:readline";
import {
  AbstractChat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from "ai";

const { NESTOR_URL: url, NESTOR_KEY: key } = process.env;

class State {
  #status = "ready";
  error = undefined;
  messages = [];
  // changed is called whenever something has changed.
  changed = () => {};
  get status() {
    return this.#status;
  }
  set status(status) {
    this.#status = status;
    this.changed();
  }
  set(messages) {
    this.messages = messages;
    this.changed();
  }
  pushMessage = (m) => this.set([...this.messages, m]);
  popMessage = () => this.set(this.messages.slice(0, -1));
  replaceMessage = (i, m) => this.set(this.messages.with(i, structuredClone(m)));
  snapshot = (v) => structuredClone(v);
}

class Chat extends AbstractChat {}

function chat(participant, { key: other, tools, system, messages, ...options } = {}) {
  const state = new State();
  state.messages = messages ?? [];
  const told = { data: [], errors: [], finished: [] };
  const c = new Chat({
    id: "chat-1",
    transport: new DefaultChatTransport({
      api: `${url}/aisdk/${participant}`,
      headers: { Authorization: `Bearer ${other ?? key}` },
      body: { tools, system },
    }),
    state,
    onData: (part) => told.data.push(part),
    onError: (error) => told.errors.push(error),
    onFinish: (end) => {
      told.finished.push(end);
      c.look?.();
    },
    ...options,
  });
  state.changed = () => c.look?.();
  c.told = told;
  return c;
}

const ready = (c) => assert.deepEqual([c.status, c.told.errors.map(String)], ["ready", []]);
const text = (m) => m.parts.filter((p) => p.type === "text").map((p) => p.text).join("|");
const of = (m, type) => m.parts.filter((p) => p.type === type);

// until waits for what the chat does by itself.
function until(c, condition) {
  return new Promise((resolve) => {
    c.look = () => condition() && resolve();
    c.look();
  });
}

const scenarios = {
  async text() {
    const c = chat("model:default", { system: "Be brief." });
    await c.sendMessage({ text: "Hello" });
    ready(c);
    const answer = c.lastMessage;
    assert.equal(answer.role, "assistant");
    assert.deepEqual(answer.parts.map((p) => [p.type, p.text, p.state]), [
      ["step-start", undefined, undefined],
      ["reasoning", "A greeting.", "done"],
      ["text", "Hello, you.", "done"],
    ]);
    assert.equal(answer.metadata.usage.inputTokens, 11);
    assert.equal(answer.metadata.status, "success");
    assert.equal(answer.id, `${answer.metadata.runId}.answer`);
    assert.equal(c.told.finished[0].finishReason, "stop");
    await c.sendMessage({ text: "And now?" });
    assert.equal(text(c.lastMessage), "Still here.");
    assert.equal(c.messages.length, 4);
    // The answer is made anew, and then again.
    for (const again of ["Here again.", "And again."]) {
      await c.regenerate();
      ready(c);
      assert.equal(text(c.lastMessage), again);
      assert.equal(c.messages.length, 4);
    }
    // What is edited is said anew.
    await c.sendMessage({ text: "And then?", messageId: c.messages[2].id });
    assert.equal(text(c.lastMessage), "Then, too.");
    // A page that is loaded anew gets the messages, and can go on.
    const stored = await (await fetch(`${url}/aisdk/model:default/chat-1/messages`, { headers: { Authorization: `Bearer ${key}` } })).json();
    assert.deepEqual(stored.slice(0, 2).map((m) => [m.role, text(m)]), [["user", "Hello"], ["assistant", "Hello, you."]]);
    assert.equal(stored[1].id, answer.id);
    const fresh = chat("model:default", { messages: stored });
    await fresh.resumeStream(); // it has ended just now, and is told again
    ready(fresh);
    assert.equal(fresh.messages.length, stored.length);
    assert.equal(text(fresh.lastMessage), "Then, too.");
  },

  async agents() {
    const c = chat("orchestrator");
    await c.sendMessage({ text: "What is 6*7?" });
    ready(c);
    assert.equal(text(c.lastMessage), "I will have that worked out.|It is 42.");
    const [tool] = of(c.lastMessage, "dynamic-tool");
    assert.deepEqual([tool.toolName, tool.state, tool.input, tool.output], ["calculator", "output-available", { expression: "6*7" }, "42"]);
    const agents = of(c.lastMessage, "data-agent");
    assert.equal(agents.length, 1);
    assert.deepEqual([agents[0].data.role, agents[0].data.status, agents[0].data.result], ["general", "completed", "It is 42."]);
    assert.equal(tool.toolMetadata.id, agents[0].data.id);
    const below = c.told.data.filter((p) => p.type === "data-agent-text").map((p) => p.data.delta).join("");
    assert.ok("Let me see.".startsWith(below), below); // as far as it was heard
  },

  async question() {
    const c = chat("agent:general", { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls });
    await c.sendMessage({ text: "Write to bob." });
    ready(c);
    const [asked] = of(c.lastMessage, "tool-ask_user");
    assert.deepEqual([asked.state, asked.input], ["input-available", { question: "Which bob?" }]);
    assert.equal(c.told.finished[0].finishReason, "tool-calls");
    await c.addToolOutput({ tool: "ask_user", toolCallId: asked.toolCallId, output: "Bob Miller." });
    await until(c, () => c.told.finished.length === 2);
    ready(c);
    assert.equal(c.messages.length, 2);
    assert.equal(text(c.lastMessage).split("|").at(-1), "Written.");
  },

  // plainly answers a question by saying something.
  async plainly() {
    const c = chat("orchestrator");
    await c.sendMessage({ text: "Book a table for two" });
    ready(c);
    assert.equal(of(c.lastMessage, "tool-ask_user")[0].state, "input-available");
    await c.sendMessage({ text: "Friday at 8" });
    ready(c);
    assert.equal(c.messages.length, 4);
    assert.match(text(c.lastMessage).split("|").at(-1), /Friday at 8/);
    assert.equal(of(c.lastMessage, "data-agent")[0].data.status, "completed");
  },

  async approval() {
    for (const [id, approved, state, said] of [
      ["yes", true, "output-available", "Paid."],
      ["no", false, "output-denied", "Not paid."],
    ]) {
      const c = chat("agent:general", { id, sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses });
      await c.sendMessage({ text: "Pay 12 cents." });
      ready(c);
      const [tool] = of(c.lastMessage, "dynamic-tool");
      assert.deepEqual([tool.toolName, tool.state, tool.input], ["pay", "approval-requested", { cents: 12 }]);
      // A page that is loaded anew is told of it again.
      const fresh = chat("agent:general", { id, messages: [c.messages[0]] });
      await fresh.resumeStream();
      assert.equal(of(fresh.lastMessage, "dynamic-tool")[0].state, "approval-requested");
      await c.addToolApprovalResponse({ id: tool.approval.id, approved, reason: "because" });
      await until(c, () => c.told.finished.length === 2);
      ready(c);
      const tools = of(c.lastMessage, "dynamic-tool");
      assert.deepEqual(tools.map((t) => t.state), [state]);
      assert.equal(text(c.lastMessage), said);
    }
  },

  async client() {
    const tools = [{ name: "ask_color", description: "Asks for a colour.", inputSchema: { type: "object", properties: { of: { type: "string" } }, required: ["of"] } }];
    const c = chat("agent:general", {
      tools,
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall: ({ toolCall }) => {
        if (toolCall.dynamic) return; // the server's
        assert.equal(toolCall.toolName, "ask_color");
        const answer = { tool: "ask_color", toolCallId: toolCall.toolCallId };
        if (toolCall.input.of === "door") void c.addToolOutput({ ...answer, state: "output-error", errorText: "the window was closed" });
        else void c.addToolOutput({ ...answer, output: { color: "blue" } });
      },
    });
    await c.sendMessage({ text: "Paint the house." });
    await until(c, () => c.status === "ready" && text(c.lastMessage) !== "");
    ready(c);
    const parts = of(c.lastMessage, "tool-ask_color");
    assert.deepEqual(parts.map((p) => p.output ?? p.errorText), [{ color: "blue" }, "the window was closed"]);
    assert.equal(text(c.lastMessage), "A blue house.");
    assert.equal(of(c.lastMessage, "dynamic-tool").length, 1);
    assert.equal(c.messages.length, 2);
  },

  async cancelled() {
    const c = chat("model:default");
    const sent = c.sendMessage({ text: "Wait." });
    await until(c, () => c.lastMessage?.role === "assistant" && text(c.lastMessage) !== "");
    const headers = { Authorization: `Bearer ${key}` };
    const res = await fetch(`${url}/api/v1/runs/${c.lastMessage.metadata.runId}/cancel`, { method: "POST", headers });
    assert.equal(res.status, 200);
    await sent;
    assert.equal(c.status, "ready");
    assert.equal(c.lastMessage.metadata.status, "cancelled");
  },

  async picture() {
    const c = chat("model:default");
    const files = [{ type: "file", mediaType: "image/png", filename: "dot.png", url: "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==" }];
    await c.sendMessage({ text: "What is this?", files });
    ready(c);
    assert.equal(text(c.lastMessage), "A dot.");
    const headers = { Authorization: `Bearer ${key}` };
    const said = await (await fetch(`${url}/api/v1/chats/${c.lastMessage.metadata.chatId}/messages`, { headers })).json();
    assert.deepEqual(said.items[0].parts.map((p) => [p.type, p.name, p.mediaType]), [["image", "dot.png", "image/png"], ["text", undefined, undefined]]);
  },

  async failures() {
    const c = chat("model:default", { id: "fails" });
    await c.sendMessage({ text: "Fail." });
    assert.equal(c.status, "error");
    assert.match(c.error.message, /sense/);
    const retried = chat("model:default", { id: "retries" });
    await retried.sendMessage({ text: "Try." });
    ready(retried);
    assert.deepEqual(retried.lastMessage.parts.map((p) => p.text ?? p.type), ["step-start", "Second."]);

    const refused = async (c, message) => {
      await c.sendMessage(message);
      assert.equal(c.status, "error");
      return c.error.statusCode;
    };
    assert.equal(await refused(chat("orchestrator", { key: "nst_wrong" }), { text: "Hello" }), 401);
    assert.equal(await refused(chat("orchestrator", { key: process.env.NESTOR_READ_KEY }), { text: "Hello" }), 403);
    assert.equal(await refused(chat("agent:nobody"), { text: "Hello" }), 400);
    assert.equal(await refused(chat("orchestrator"), { files: [{ type: "file", mediaType: "image/png", url: "https://example.com/a.png" }] }), 400);
    assert.equal(await refused(chat("orchestrator", { messages: [{ id: "a", role: "assistant", parts: [{ type: "text", text: "x" }] }] }), undefined), 400);
    const nothing = chat("orchestrator", { id: "nothing" });
    await nothing.resumeStream();
    ready(nothing);
    assert.deepEqual(nothing.messages, []);
  },

  // A second user has a chat of the same name, and nothing of the first one's.
  async others() {
    const c = chat("agent:general");
    await c.sendMessage({ text: "Pay 12 cents." });
    const mine = { key: process.env.NESTOR_OTHER_KEY };
    const thief = chat("agent:general", { ...mine, messages: structuredClone(c.messages) });
    await thief.addToolApprovalResponse({ id: of(c.lastMessage, "dynamic-tool")[0].approval.id, approved: true });
    await thief.sendMessage();
    assert.equal(thief.error.statusCode, 404);
    const other = chat("agent:general", mine);
    await other.resumeStream();
    assert.deepEqual(other.messages, []);
    await other.sendMessage({ text: "Hello" });
    ready(other);
    assert.equal(text(other.lastMessage), "Hello, you.");
  },

  // killed says when the stream has begun, and resumes it when it is told to.
  async killed() {
    const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
    const c = chat("model:default");
    const sent = c.sendMessage({ text: "Tell me a story." });
    await until(c, () => c.lastMessage?.role === "assistant" && text(c.lastMessage) === "Once");
    console.log("half");
    await sent;
    assert.equal(c.status, "error");
    await lines.next();
    await c.resumeStream();
    assert.equal(c.status, "ready");
    assert.deepEqual(c.messages.map(text), ["Tell me a story.", "Once upon a time."]);
  },
};

// changed is a person who changes what was said. The model's script sees what it is asked.
async function changed(participant) {
  const c = chat(participant);
  const say = async (text, want, options) => {
    await c.sendMessage({ text, ...options });
    ready(c);
    assert.equal(c.lastMessage.parts.findLast((p) => p.type === "text").text, want);
  };
  await say("My name is Ann.", "Hello Ann.");
  await say("I live in Rome.", "Rome it is.");
  await say("I live in Oslo.", "Oslo it is.", { messageId: c.messages[2].id });
  await say("What did I say?", "Ann in Oslo.");
  await c.regenerate();
  ready(c);
  assert.equal(text(c.lastMessage), "Still Ann in Oslo.");
  await say("And now?", "As before.");
  // What the end of the list lacks is gone, too.
  const all = c.messages;
  c.messages = all.slice(0, 2);
  await say("I live in Bonn.", "Bonn it is.");
  // Another page still has the other way, and goes on there.
  const other = chat(participant, { messages: all });
  await other.sendMessage({ text: "Where was that?" });
  ready(other);
  assert.equal(text(other.lastMessage), "In Oslo.");
  // The first message is changed.
  await say("My name is Bob.", "Hello Bob.", { messageId: c.messages[0].id });
  await say("Say my name.", "Bob.");
  const stored = await (await fetch(`${url}/aisdk/${participant}/chat-1/messages`, { headers: { Authorization: `Bearer ${key}` } })).json();
  assert.deepEqual(stored.map(text), ["My name is Bob.", "Hello Bob.", "Say my name.", "Bob."]);
}
for (const participant of ["model:default", "agent:general", "orchestrator"]) scenarios[`changed ${participant}`] = () => changed(participant);

await scenarios[process.argv[2]]();
process.exit(0); // whoever reads lines would wait for more
