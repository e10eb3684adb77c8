import { ChevronRight } from "lucide-react";
import { useMemo } from "react";
import { Link } from "wouter";
import type { Task } from "../api/types";
import { useDrafts, useOutbox } from "../data/hooks";
import { tasksWritten } from "../data/settings";
import { Answers } from "../decisions/answers";
import { AskView } from "../decisions/ask";
import type { Ask } from "../decisions/asks";
import { useTree } from "../decisions/hooks";
import { agentPath, chatPath } from "../place";
import { assignment, cost, duration, roleOf, tokens } from "../thread/format";
import { ticker } from "../thread/ticker";
import { isEnded, titleOf } from "../thread/tree";
import { useNow } from "../ui/now";
import { RoleIcon } from "../ui/role";
import { couldNot, StatusPill, statusOf } from "../ui/status";
import { words } from "../words";
import { Helpers } from "./helpers";

const say = words.decisions;

interface Props {
  task: Task;
  /** Its agent is shown beside the chat. */
  open: boolean;
}

/** A task as it stands: who does what, how far it is, who helps, and what they all want. */
export function TaskBlock({ task, open }: Props) {
  const role = roleOf(task.name);
  const { helpers, asks, used } = useTree(task);
  const undecided = asks.filter((a) => a.kind === "call" && a.task === task).length;
  const wanted = asks.some((a) => a.kind !== "client");
  const look = wanted
    ? "border-wait bg-wait-wash/60"
    : `${open ? "border-accent" : "border-line"} bg-raised hover:border-accent`;
  const title = titleOf(task);
  const rest = assignment(task)
    .trim()
    .slice(task.args === undefined ? title.length : 0)
    .trim();
  return (
    <div
      data-task={task.id}
      data-status={task.status}
      className={`rounded-xl border transition-colors ${look}`}
    >
      <TaskLink task={task} open={open}>
        <span className="mt-0.5 flex size-8 shrink-0 items-center justify-center rounded-lg bg-panel text-soft">
          <RoleIcon role={role} />
        </span>
        <span className="min-w-0 flex-1">
          <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
            <span className="line-clamp-2 min-w-0 font-medium break-words">{title}</span>
            <StatusPill status={statusOf(task, undecided)} />
          </span>
          <Figures task={task} role={role} helpers={helpers.length} used={used} />
          {rest && <span className="mt-0.5 line-clamp-2 text-sm break-words text-soft">{rest}</span>}
          {task.status === "failed" && task.error && (
            <span
              className={`mt-1 text-sm break-words ${couldNot(task) ? "line-clamp-2 text-soft" : "block text-bad"}`}
            >
              {task.error}
            </span>
          )}
          {task.status === "running" && !task.paused && task.subAgentId && (
            <Ticker chatId={task.chatId} agentId={task.subAgentId} idle={!wanted && helpers.every(isEnded)} />
          )}
        </span>
        {task.subAgentId && <ChevronRight size={16} className="mt-2 shrink-0 text-faint" aria-hidden />}
      </TaskLink>
      <Helpers task={task} helpers={helpers} asks={asks} />
      {asks.map((ask) => (
        <AskView
          key={ask.id}
          ask={ask}
          named={ask.task !== task}
          elsewhere={open && ask.task === task} // its agent is beside it, and has the field
        />
      ))}
      <Unanswered tasks={[task, ...helpers]} asks={asks} open={open ? task : undefined} />
    </div>
  );
}

/** Answers that did not reach agents which ask nothing any more. */
function Unanswered({ tasks, asks, open }: { tasks: readonly Task[]; asks: readonly Ask[]; open?: Task }) {
  const unsent = useOutbox();
  const asking = useMemo(() => new Set(asks.filter((a) => a.kind === "question").map((a) => a.task)), [asks]);
  const written = tasksWritten();
  const left = tasks.filter(
    (t) =>
      t !== open && !asking.has(t) && (written.has(t.id) || unsent.some((m) => m.answers?.taskId === t.id)),
  );
  return left.map((t) => (
    <div key={t.id} className="px-4 pb-2.5 empty:hidden">
      <Answers task={t} />
    </div>
  ));
}

function TaskLink({ task, open, children }: { task: Task; open: boolean; children: React.ReactNode }) {
  const look = "flex gap-3 rounded-xl px-3 py-2.5";
  if (!task.subAgentId) {
    return <div className={look}>{children}</div>;
  }
  return (
    <div className={`relative ${look}`}>
      {children}
      {/* Over what it is about, which says more than the name of a link should. */}
      <Link
        href={open ? chatPath(task.chatId) : agentPath(task.chatId, task.subAgentId)}
        aria-expanded={open}
        aria-label={say.lookInside(roleOf(task.name), assignment(task))}
        className="absolute inset-0 rounded-xl"
      />
    </div>
  );
}

interface FiguresProps {
  task: Task;
  role: string;
  helpers: number;
  /** By all of them together. */
  used: { tokens: number; micros: number };
}

function Figures({ task, role, helpers, used }: FiguresProps) {
  const running = task.status === "running" || task.status === "pending";
  const now = useNow(running);
  const started = task.startedAt ?? task.createdAt;
  const ended = task.endedAt ?? (running ? now : task.updatedAt);
  return (
    <span className="block text-xs text-faint tabular-nums">
      {[
        role !== titleOf(task) && role,
        duration(Math.max(0, ended - started)),
        used.tokens > 0 && say.used(tokens(used.tokens), used.micros ? cost(used.micros) : ""),
      ]
        .filter(Boolean)
        .join(" · ")}
      {helpers > 0 && used.tokens > 0 && ` ${say.withHelpers}`}
    </span>
  );
}

interface TickerProps {
  chatId: string;
  agentId: string;
  /** Nothing else tells what it does. */
  idle: boolean;
}

/** The end of what the agent is saying or thinking right now: the last line that its words fill. */
function Ticker({ chatId, agentId, idle }: TickerProps) {
  const draft = useDrafts(chatId, agentId).at(-1);
  const text = draft?.text || draft?.reasoning || (idle ? say.working : "");
  return (
    text && (
      <span className="mt-1 flex h-5 flex-col justify-end overflow-hidden text-xs leading-5 text-faint italic">
        <span className="break-words">{ticker(text)}</span>
      </span>
    )
  );
}
