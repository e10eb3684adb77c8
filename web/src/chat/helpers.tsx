import { Link } from "wouter";
import type { Task } from "../api/types";
import type { Ask } from "../decisions/asks";
import { agentPath } from "../place";
import { isEnded, titleOf } from "../thread/tree";
import { couldNot, StatusIcon, statusOf } from "../ui/status";
import { words } from "../words";

const say = words.decisions;

interface Props {
  task: Task;
  /** All below the task, in order. */
  helpers: readonly Task[];
  asks: readonly Ask[];
}

/** How many are named. The agent itself shows all. */
const mostNamed = 5;

/** Who works for a task's agent: how they stand and, while it waits for them, who they are. */
export function Helpers({ task, helpers, asks }: Props) {
  if (helpers.length === 0) {
    return null;
  }
  const wanting = new Set(asks.filter((a) => a.kind !== "client").map((a) => a.task));
  const waiting = helpers.filter((t) => wanting.has(t)).length;
  const open = helpers.filter((t) => !isEnded(t));
  const unable = helpers.filter(couldNot).length;
  const failed = helpers.filter((t) => t.status === "failed").length - unable;
  const counts = [
    open.length > waiting && say.helpersRunning(open.length - waiting),
    waiting > 0 && say.helpersWaiting(waiting),
    failed > 0 && say.helpersFailed(failed),
    unable > 0 && say.helpersCouldNot(unable),
  ].filter(Boolean);
  const own = open.filter((t) => t.parentAgentId === task.subAgentId);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-soft">
      <span className={failed > 0 ? "text-bad" : ""}>
        {[say.helpers(helpers.length), counts.join(", ")].filter(Boolean).join(": ")}
      </span>
      {!isEnded(task) && own.length > 0 && (
        <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <span>{say.waitsForHelpers}</span>
          {own.slice(0, mostNamed).map((t) => (
            <HelperLink key={t.id} task={t} wanted={wanting.has(t)} />
          ))}
          {own.length > mostNamed && <span>{say.moreHelpers(own.length - mostNamed)}</span>}
        </span>
      )}
    </div>
  );
}

/** Leads to a helper. */
export function HelperLink({ task, wanted }: { task: Task; wanted: boolean }) {
  return (
    <Link
      href={task.subAgentId ? agentPath(task.chatId, task.subAgentId) : ""}
      className="inline-flex max-w-60 min-w-0 items-center gap-1 hover:text-ink hover:underline"
    >
      <StatusIcon status={statusOf(task, wanted && task.status !== "waiting" ? 1 : 0)} size={12} />
      <span className="truncate">{titleOf(task)}</span>
    </Link>
  );
}
