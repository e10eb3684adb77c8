import { useMemo } from "react";
import { Link } from "wouter";
import type { AgentMessage, ToolCall } from "../api/types";
import { stepPath } from "../place";
import { cost, duration, tokens } from "../thread/format";
import { type Bar, isOpen, timeline } from "../thread/timeline";
import { useNow } from "../ui/now";
import { words } from "../words/inspector";

const say = words;

interface Props {
  chatId: string;
  agentId: string;
  messages: readonly AgentMessage[];
  calls: readonly ToolCall[];
}

const colours: Record<Bar["kind"], string> = { model: "bg-accent", tool: "bg-run", wait: "bg-wait" };

/** What the agent's time went to: one row for each model call and tool call. */
export function Timeline({ chatId, agentId, messages, calls }: Props) {
  const now = useNow(calls.some(isOpen), 500);
  const bars = useMemo(() => timeline(messages, calls, now), [messages, calls, now]);
  const start = Math.min(...bars.map((b) => b.start));
  const span = Math.max(1, Math.max(...bars.map((b) => b.end)) - start);
  const percent = (ms: number) => `${(ms / span) * 100}%`;
  return (
    <table className="w-full table-fixed text-sm">
      <caption className="sr-only">{say.timelineCaption}</caption>
      <colgroup>
        <col className="w-36" />
        <col />
        <col className="w-32" />
      </colgroup>
      <thead className="sr-only">
        <tr>
          {say.timelineColumns.map((column) => (
            <th key={column}>{column}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {bars.map((bar) => (
          <tr key={bar.id} className="hover:bg-hover">
            <td className="truncate py-1 pr-2 font-mono text-xs">
              <Link
                href={stepPath(chatId, agentId, bar.stepId)}
                className={bar.status === "failed" ? "text-bad" : ""}
              >
                {bar.label}
              </Link>
            </td>
            <td className="py-1">
              <div className="relative h-4 rounded bg-hover">
                <div
                  className={`absolute inset-y-0 min-w-1 rounded ${bar.status === "failed" ? "bg-bad" : colours[bar.kind]} ${bar.status === "running" ? "animate-pulse" : ""}`}
                  style={{ left: percent(bar.start - start), width: percent(bar.end - bar.start) }}
                />
              </div>
            </td>
            <td className="py-1 pl-2 text-right text-xs text-faint tabular-nums">
              {duration(bar.end - bar.start)}
              {bar.tokens > 0 && ` · ${tokens(bar.tokens)}`}
              {bar.costMicros > 0 && ` · ${cost(bar.costMicros)}`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
