import { Link } from "wouter";
import type { Turn } from "../api/graphs";
import { chatPath } from "../place";
import { duration } from "../thread/format";
import { StatusPill } from "../ui/status";
import { statusOf } from "./looks";
import { Values } from "./value";

/** What a node was given in a turn, what it gave, and how long it took. */
export function TurnView({ turn }: { turn: Turn }) {
  const isRunning = turn.status === "running";
  return (
    <section
      aria-label={`Turn ${turn.number} of ${turn.nodeId}`}
      className="space-y-2 rounded-lg border border-line p-2.5"
    >
      <div className="flex flex-wrap items-center gap-2 text-sm">
        <h3 className="min-w-0 flex-1 truncate font-medium">{turn.nodeId}</h3>
        {turn.endTime !== null && (
          <span className="text-xs text-faint">{duration(turn.endTime - turn.startTime)}</span>
        )}
        {turn.attempts > 1 && <span className="text-xs text-faint">{turn.attempts} attempts</span>}
        <StatusPill status={statusOf(turn.status)} />
      </div>
      {turn.chatId && (
        <p className="text-sm">
          <Link href={chatPath(turn.chatId)} className="text-accent underline">
            {isRunning ? "Its agent works in a chat" : "The chat of its agent"}
          </Link>
          {isRunning && " and may ask you something there."}
        </p>
      )}
      {turn.error && (
        <p className="text-sm break-words text-bad">
          {turn.error.message} <span className="text-xs">({turn.error.code})</span>
        </p>
      )}
      <Values of={turn.inputs} title="Given" />
      <Values of={turn.outputs} title="Gave" />
    </section>
  );
}
