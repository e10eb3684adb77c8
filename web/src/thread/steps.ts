import type { AgentMessage, Media, Part, ToolCall, ToolRequest } from "../api/types";
import type { Draft } from "../data/drafts";

/** A tool call in a step: what was asked for, and what became of it. */
interface StepCall {
  request: ToolRequest;
  call?: ToolCall;
  /** The images and files that came with its result: in messages of older servers their bytes, else their names. */
  media: readonly Media[];
  files: readonly Part[];
}

/** One step of an agent: something it was told, or something it said with the calls it made. */
export interface Step {
  id: string;
  kind: "system" | "told" | "said" | "called" | "question" | "final" | "error" | "summary";
  /** Counts the model calls; 0 for what the model did not say. */
  number: number;
  text: string;
  /** Who told it: an instruction, or a later message. */
  first?: boolean;
  reasoning: string;
  calls: StepCall[];
  message?: AgentMessage;
  /** It is being written right now. */
  live?: boolean;
  /** The model was stopped before it had said all. */
  interrupted?: boolean;
}

const asking = "ask_user";
const concluding = "final_answer";

/** The steps of an agent from its documents in order, then what it is saying now. */
export function steps(
  messages: readonly AgentMessage[],
  calls: readonly ToolCall[],
  drafts: readonly Draft[],
): Step[] {
  const byId = new Map(calls.map((c) => [c.id, c]));
  const results = new Map(messages.map((m) => [m.role === "tool" ? m.toolCallId : undefined, m]));
  const list: Step[] = [];
  let number = 0;
  for (const m of messages) {
    if (m.role === "tool") {
      continue; // shown with the call that it answers
    }
    const first = m.role === "user" && !list.some((s) => s.kind === "told");
    list.push(m.role === "assistant" ? said(m, byId, results, ++number) : heard(m, first));
  }
  const ofTask = calls.filter((c) => c.endsTask);
  list.push(...ofTask.map(called));
  const known = new Set([...messages, ...ofTask].map((d) => d.id));
  for (const d of drafts) {
    if (!known.has(d.id)) {
      list.push({
        ...blank(d.id, "said"),
        number: ++number,
        text: d.text,
        reasoning: d.reasoning,
        live: true,
      });
    }
  }
  return list;
}

/** A task that is a call of a tool has no messages: each call is a step. */
function called(call: ToolCall): Step {
  const fn = { name: call.toolName, arguments: JSON.stringify(call.args ?? {}) };
  return {
    ...blank(call.id, "called"),
    calls: [{ request: { id: call.id, type: "function", function: fn }, call, media: [], files: [] }],
  };
}

const blank = (id: string, kind: Step["kind"]): Step => ({
  id,
  kind,
  number: 0,
  text: "",
  reasoning: "",
  calls: [],
});

function heard(m: AgentMessage, first: boolean): Step {
  let kind: Step["kind"] = m.role === "user" ? "told" : "system";
  if (m.type === "error" || m.type === "summary") {
    kind = m.type;
  }
  return { ...blank(m.id, kind), text: m.content, first, message: m };
}

function said(
  m: AgentMessage,
  calls: Map<string, ToolCall>,
  results: Map<string | undefined, AgentMessage>,
  number: number,
): Step {
  const requests = m.toolCalls ?? [];
  // One that waits for the calls beside it, or that did not count, is a call like any other.
  const counts = (name: string) => (r: ToolRequest) => {
    const call = calls.get(r.id);
    return (call?.toolName ?? r.function.name) === name && (!call || call.status === "success");
  };
  const final = requests.find(counts(concluding));
  const question = requests.find(counts(asking));
  const interrupted = m.metadata?.finishReason === "interrupted";
  const kind = final || (requests.length === 0 && !interrupted) ? "final" : question ? "question" : "said";
  const spoken = final ?? (kind === "question" ? question : undefined);
  return {
    ...blank(m.id, kind),
    number,
    text: spokenText(m.content, argument(spoken)),
    reasoning: reasoningText(m.metadata?.reasoning),
    calls: requests
      .filter((r) => r !== spoken)
      .map((request) => {
        const result = results.get(request.id);
        return {
          request,
          call: calls.get(request.id),
          media: result?.media ?? [],
          files: result?.parts ?? [],
        };
      }),
    message: m,
    interrupted,
  };
}

/** What was said along with what was asked or concluded, which models often repeat. */
function spokenText(content: string, asked: string): string {
  return asked === "" || content.includes(asked) ? content : [content, asked].filter(Boolean).join("\n\n");
}

/** The one text that ask_user or final_answer is about. */
function argument(request: ToolRequest | undefined): string {
  if (!request) {
    return "";
  }
  try {
    const args = JSON.parse(request.function.arguments) as Record<string, unknown>;
    const text = args.answer ?? args.question;
    return typeof text === "string" ? text : request.function.arguments;
  } catch {
    return request.function.arguments;
  }
}

/** What can be read of a model's reasoning blocks, whatever the provider. */
function reasoningText(blocks: unknown): string {
  if (!Array.isArray(blocks)) {
    return "";
  }
  return blocks
    .map((b: unknown) => (b as { text?: unknown } | null)?.text)
    .filter((t) => typeof t === "string")
    .join("\n\n");
}

export const isFailed = (s: Step): boolean =>
  s.kind === "error" || s.calls.some(({ call }) => call?.status === "failed" || call?.status === "unknown");

/** Whether a call waits for a person. One that is held waits for the call before it. */
export const isUndecided = (c: ToolCall): boolean =>
  !c.held && (c.status === "awaiting_approval" || c.status === "unknown");

/** The calls that wait for a person. */
export const undecided = (calls: readonly ToolCall[]): ToolCall[] => calls.filter(isUndecided);
