import { describe, expect, test } from "vitest";
import type { AgentMessage, ToolCall } from "../api/types";
import { isFailed, steps } from "./steps";
import { timeline } from "./timeline";

const meta = {
  version: 1,
  seq: 1,
  createdSeq: 1,
  createdAt: 1000,
  updatedAt: 0,
  chatId: "c",
  subAgentId: "a",
};

const message = (id: string, role: AgentMessage["role"], more: Partial<AgentMessage> = {}): AgentMessage => ({
  ...meta,
  id,
  role,
  content: id,
  ...more,
});

const request = (id: string, name: string, args: unknown = {}) => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(args) },
});

const call = (id: string, more: Partial<ToolCall> = {}): ToolCall => ({
  ...meta,
  id,
  toolName: "calculator",
  status: "success",
  ...more,
});

describe("the steps of an agent", () => {
  test("begin with its system prompt and its instruction", () => {
    const list = steps(
      [message("prompt", "system"), message("do it", "user"), message("and more", "user")],
      [],
      [],
    );
    expect(list.map((s) => [s.kind, s.first])).toEqual([
      ["system", false],
      ["told", true],
      ["told", false],
    ]);
  });

  test("an interrupted one is no final answer, though it has no calls", () => {
    const list = steps(
      [
        message("half a", "assistant", { metadata: { finishReason: "interrupted" } }),
        message("all of it", "assistant", { metadata: { finishReason: "stop" } }),
      ],
      [],
      [],
    );
    expect(list.map((s) => [s.kind, s.interrupted])).toEqual([
      ["said", true],
      ["final", false],
    ]);
  });

  test("join each call that was asked for with what became of it", () => {
    const asking = message("m", "assistant", {
      toolCalls: [request("c1", "calculator"), request("c2", "clock")],
    });
    const [step] = steps([asking, message("r", "tool", { toolCallId: "c1" })], [call("c1")], []);
    expect(step?.calls.map((c) => [c.request.id, c.call?.status])).toEqual([
      ["c1", "success"],
      ["c2", undefined],
    ]);
  });

  test("show the images with the call that returned them", () => {
    const asking = message("m", "assistant", {
      toolCalls: [request("c1", "shoot"), request("c2", "clock")],
    });
    const media = [{ mimeType: "image/png", data: "iVBORw0=" }];
    const [step] = steps([asking, message("r", "tool", { toolCallId: "c1", media })], [], []);
    expect(step?.calls.map((c) => c.media)).toEqual([media, []]);
  });

  test.each([
    ["a reply with tool calls", [request("1", "calculator")], "said"],
    ["a question", [request("1", "ask_user", { question: "Which?" })], "question"],
    ["a final answer", [request("1", "final_answer", { answer: "42" }), request("2", "calculator")], "final"],
    ["plain text", [], "final"],
  ])("tell %s", (_, toolCalls, kind) => {
    expect(steps([message("m", "assistant", { toolCalls })], [], [])[0]?.kind).toBe(kind);
  });

  test.each([
    ["running", "said"],
    ["skipped", "said"],
    ["success", "final"],
  ] as const)("tell an answer that is %s beside other calls", (status, kind) => {
    const m = message("m", "assistant", { toolCalls: [request("1", "FinalAnswer", { answer: "42" })] });
    const [step] = steps([m], [call("1", { toolName: "final_answer", status })], []);
    expect(step?.kind).toBe(kind);
  });

  test("show what was concluded, and what was said besides", () => {
    const toolCalls = [request("1", "final_answer", { answer: "It is 42." })];
    const text = (content: string) =>
      steps([message("m", "assistant", { content, toolCalls })], [], [])[0]?.text;
    expect(text("")).toBe("It is 42.");
    expect(text("It is 42.")).toBe("It is 42.");
    expect(text("Done.")).toBe("Done.\n\nIt is 42.");
  });

  test("end with what it is saying now, until its document is there", () => {
    const draft = { id: "d", path: "d", chatId: "c", text: "Hm", reasoning: "", tools: [] };
    expect(steps([message("m", "assistant")], [], [draft]).map((s) => [s.id, s.number, s.live])).toEqual([
      ["m", 1, undefined],
      ["d", 2, true],
    ]);
    expect(steps([message("d", "assistant")], [], [draft])).toHaveLength(1);
  });

  test("show thoughts, and pass over those that cannot be read", () => {
    const reasoning = [{ text: "First." }, { encrypted: "x" }, { text: "Then." }];
    expect(steps([message("m", "assistant", { metadata: { reasoning } })], [], [])[0]?.reasoning).toBe(
      "First.\n\nThen.",
    );
  });

  test("are the calls of a task that is one, which has no messages", () => {
    const draft = { id: "c2", path: "c2", chatId: "c", text: "", reasoning: "", tools: [] };
    const calls = [
      call("c1", { endsTask: true, args: { expression: "1/0" }, status: "failed" }),
      call("c2", { endsTask: true, status: "running" }),
    ];
    const list = steps([], calls, [draft]);
    expect(list.map((s) => [s.id, s.kind, s.live, isFailed(s)])).toEqual([
      ["c1", "called", undefined, true],
      ["c2", "called", undefined, false],
    ]);
    expect(list[0]?.calls[0]?.request.function).toEqual({
      name: "calculator",
      arguments: '{"expression":"1/0"}',
    });
    expect(timeline([], calls, 0).map((b) => b.stepId)).toEqual(["c1", "c2"]);
  });

  test("failed when a call of theirs did", () => {
    const asking = message("m", "assistant", { toolCalls: [request("c1", "calculator")] });
    const failed = (status: ToolCall["status"]) =>
      steps([asking], [call("c1", { status })], []).some(isFailed);
    expect([failed("success"), failed("failed"), failed("unknown")]).toEqual([false, true, true]);
  });
});

describe("the timeline", () => {
  test("has a bar for each model call and tool call, in the order they began", () => {
    const said = message("m", "assistant", { createdAt: 2000, metadata: { model: "demo", durationMs: 500 } });
    const bars = timeline([said], [call("c", { startedAt: 2100, durationMs: 50, messageId: "m" })], 0);
    expect(bars.map((b) => [b.label, b.start, b.end, b.stepId])).toEqual([
      ["demo", 1500, 2000, "m"],
      ["calculator", 2100, 2150, "m"],
    ]);
  });

  test("lets what runs go on until now", () => {
    const [bar] = timeline([], [call("c", { status: "running", startedAt: 100 })], 900);
    expect([bar?.status, bar?.end]).toEqual(["running", 900]);
  });
});
