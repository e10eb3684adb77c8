import { lazy, Suspense } from "react";
import { Link } from "wouter";
import type { Task } from "../api/types";
import { isForPeople } from "../decisions/asks";
import { useAsks } from "../decisions/hooks";
import { agentPath } from "../place";
import { roleOf } from "../thread/format";
import { above, titleOf } from "../thread/tree";
import { StatusIcon } from "../ui/status";
import { words } from "../words";

const AskView = lazy(() => import("../decisions/ask"));
const say = words.decisions;

/**
 * The task whose question the message field answers: that of the chat's participant, or one
 * below it, which the server gives the next message. In a chat with the orchestrator there is
 * none: an agent may begin to ask while somebody types, and a field whose words then went to
 * another one than before would be a trap. There each agent has a field of its own.
 */
export function answeredHere(tasks: readonly Task[]): Task | undefined {
  const waiting = tasks.filter((t) => t.status === "waiting");
  return (
    waiting.find((t) => isBelowParticipant(tasks, t) && above(tasks, t)[0]?.status === "running") ??
    waiting.find((t) => t.standing)
  );
}

/** Whether a task has no block in the chat, since it works for the chat's participant. */
const isBelowParticipant = (tasks: readonly Task[], task: Task) => above(tasks, task)[0]?.standing === true;

/** Who waits for the person, where to answer them, and to whom goes what is written in the message field. */
export function Asker({ id, tasks }: { id: string; tasks: readonly Task[] }) {
  const asks = useAsks(tasks).filter(isForPeople);
  const here = answeredHere(tasks);
  const own = asks.filter((a) => !a.task.standing && isBelowParticipant(tasks, a.task));
  const elsewhere = [...new Set(asks.filter((a) => !own.includes(a) && a.task !== here).map((a) => a.task))];
  return (
    <div id={id} className="text-sm empty:hidden">
      {own.length > 0 && (
        <div className="mb-2 max-h-[40dvh] overflow-y-auto rounded-xl border border-wait bg-wait-wash/60 *:first:border-t-0">
          <Suspense>
            {own.map((ask) => (
              <AskView key={ask.id} ask={ask} named />
            ))}
          </Suspense>
        </div>
      )}
      {here && <p className="mb-1.5 text-wait">{say.goesTo(nameOf(here))}</p>}
      {elsewhere.length > 0 && (
        <div className="mb-1.5 flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="text-wait">{say.waiting(elsewhere.length)}</span>
          {elsewhere.map((task) => (
            <Link
              key={task.id}
              href={agentPath(task.chatId, task.subAgentId ?? "")}
              className="inline-flex max-w-64 items-center gap-1 rounded-full border border-wait/50 bg-wait-wash px-2.5 py-0.5 hover:border-wait"
            >
              <StatusIcon status={task.status === "waiting" ? "waiting" : "awaiting_approval"} size={13} />
              <span className="truncate">{nameOf(task)}</span>
            </Link>
          ))}
          {!here && <span className="text-faint">{say.goesToNestor}</span>}
        </div>
      )}
    </div>
  );
}

const nameOf = (task: Task) =>
  task.standing ? roleOf(task.name) : say.agent(roleOf(task.name), titleOf(task));
