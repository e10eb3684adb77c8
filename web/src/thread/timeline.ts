import type { AgentMessage, ToolCall } from "../api/types";

/** A bar of the waterfall: when something began and how long it took. */
export interface Bar {
  id: string;
  /** The step that it belongs to. */
  stepId: string;
  label: string;
  kind: "model" | "tool" | "wait";
  status: "done" | "failed" | "running";
  start: number;
  end: number;
  tokens: number;
  costMicros: number;
}

/** What an agent's time went to, in the order it began. `now` ends what still runs. */
export function timeline(messages: readonly AgentMessage[], calls: readonly ToolCall[], now: number): Bar[] {
  const bars: Bar[] = [];
  for (const m of messages) {
    if (m.role === "assistant") {
      const { durationMs = 0, usage, costMicros = 0, model = "model" } = m.metadata ?? {};
      const tokens = usage ? usage.inputTokens + usage.outputTokens : 0;
      const [start, end] = [m.createdAt - durationMs, m.createdAt];
      bars.push({
        id: m.id,
        stepId: m.id,
        label: model,
        kind: "model",
        status: "done",
        start,
        end,
        tokens,
        costMicros,
      });
    }
  }
  for (const c of calls) {
    const start = c.startedAt ?? c.createdAt;
    const open = isOpen(c);
    bars.push({
      id: c.id,
      stepId: c.messageId ?? c.id,
      label: c.toolName,
      kind: c.status === "awaiting_approval" || c.status === "unknown" ? "wait" : "tool",
      status: open ? "running" : c.status === "failed" ? "failed" : "done",
      start,
      end: open ? Math.max(now, start) : start + (c.durationMs ?? 0),
      tokens: 0,
      costMicros: 0,
    });
  }
  return bars.sort((a, b) => a.start - b.start || a.end - b.end);
}

export const isOpen = (c: ToolCall): boolean =>
  c.status === "pending" ||
  c.status === "running" ||
  c.status === "awaiting_approval" ||
  c.status === "unknown";
