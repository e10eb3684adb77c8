import { Link } from "wouter";
import type { Turn } from "../api/graphs";
import { chatPath } from "../place";
import { duration } from "../thread/format";
import { StatusPill } from "../ui/status";
import { words } from "../words/graphs";
import { statusOf } from "./looks";
import { Values } from "./value";

const say = words.turn;

/** What a node was given in a turn, what it gave, and how long it took. */
export function TurnView({ turn }: { turn: Turn }) {
  const isRunning = turn.status === "running";
  return (
    <section
      aria-label={say.turn(turn.number, turn.nodeId)}
      className="space-y-2 rounded-lg border border-line p-2.5"
    >
      <div className="flex flex-wrap items-center gap-2 text-sm">
        <h3 className="min-w-0 flex-1 truncate font-medium">{turn.nodeId}</h3>
        {turn.endTime !== null && (
          <span className="text-xs text-faint">{duration(turn.endTime - turn.startTime)}</span>
        )}
        {turn.attempts > 1 && <span className="text-xs text-faint">{say.attempts(turn.attempts)}</span>}
        <StatusPill status={statusOf(turn.status)} />
      </div>
      {turn.chatId && (
        <p className="text-sm">
          <Link href={chatPath(turn.chatId)} className="text-accent underline">
            {isRunning ? say.agentAtWork : say.agentChat}
          </Link>
          {isRunning && say.mayAsk}
        </p>
      )}
      {turn.error && (
        <p className="text-sm break-words text-bad">
          {turn.error.message} <span className="text-xs">({turn.error.code})</span>
        </p>
      )}
      <Values of={turn.inputs} title={say.given} />
      <Values of={turn.outputs} title={say.gave} />
    </section>
  );
}
