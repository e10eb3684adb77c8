import { ArrowDown, ChevronRight } from "lucide-react";
import { Link } from "wouter";
import type { Task } from "../api/types";
import { useDocument, useDrafts, useUndecided } from "../data/hooks";
import { agentPath, chatPath } from "../place";
import { assignment, cost, duration, roleOf, tokens } from "../thread/format";
import { Button, buttonLook } from "../ui/button";
import { useNow } from "../ui/now";
import { RoleIcon } from "../ui/role";
import { StatusPill, statusOf } from "../ui/status";

interface Props {
  task: Task;
  open: boolean;
  onAnswer: () => void;
}

/** A task as it stands: who does what, how far it is, and what it wants. */
export function TaskBlock({ task, open, onAnswer }: Props) {
  const role = roleOf(task.name);
  const undecided = useUndecided(task);
  const waiting = task.status === "waiting";
  const look =
    waiting || undecided.length > 0
      ? "border-wait bg-wait-wash/60"
      : `${open ? "border-accent" : "border-line"} bg-raised hover:border-accent`;
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
            <span className="font-medium">{role}</span>
            <StatusPill status={statusOf(task, undecided.length)} />
            <Figures task={task} />
          </span>
          <span className="mt-0.5 line-clamp-2 text-sm text-soft">{assignment(task)}</span>
          {task.status === "failed" && task.error && (
            <span className="mt-1 block text-sm text-bad">{task.error}</span>
          )}
          {task.status === "running" && !task.paused && undecided.length === 0 && task.subAgentId && (
            <Ticker chatId={task.chatId} agentId={task.subAgentId} />
          )}
        </span>
        {task.subAgentId && <ChevronRight size={16} className="mt-2 shrink-0 text-faint" aria-hidden />}
      </TaskLink>
      {waiting && (
        <Wants what="Question:" text={task.question}>
          <Button icon={<ArrowDown size={14} />} onClick={onAnswer}>
            Answer below
          </Button>
        </Wants>
      )}
      {undecided.length > 0 && task.subAgentId && !open && (
        <Wants what="Needs your decision:" text={undecided.map((c) => c.toolName).join(", ")}>
          <Link href={agentPath(task.chatId, task.subAgentId)} className={buttonLook("plain")}>
            Review and decide
          </Link>
        </Wants>
      )}
    </div>
  );
}

/** What an agent wants from the person who reads, and the way to give it. */
function Wants({ what, text, children }: { what: string; text?: string; children: React.ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-3 border-t border-wait/30 px-4 py-2.5">
      <p className="min-w-0 flex-1 text-sm">
        <span className="font-medium text-wait">{what} </span>
        {text}
      </p>
      {children}
    </div>
  );
}

function TaskLink({ task, open, children }: { task: Task; open: boolean; children: React.ReactNode }) {
  const look = "flex gap-3 rounded-xl px-3 py-2.5";
  if (!task.subAgentId) {
    return <div className={look}>{children}</div>;
  }
  return (
    <Link
      href={open ? chatPath(task.chatId) : agentPath(task.chatId, task.subAgentId)}
      aria-expanded={open}
      aria-label={`Look inside ${roleOf(task.name)}: ${assignment(task)}`}
      className={look}
    >
      {children}
    </Link>
  );
}

function Figures({ task }: { task: Task }) {
  const running = task.status === "running" || task.status === "pending";
  const now = useNow(running);
  const agent = useDocument("sub_agents", task.subAgentId);
  const started = task.startedAt ?? task.createdAt;
  const ended = task.endedAt ?? (running ? now : task.updatedAt);
  const usage = agent?.usage ?? task.usage;
  const spent = agent?.costMicros ?? task.costMicros;
  return (
    <span className="text-xs whitespace-nowrap text-faint tabular-nums">
      {duration(Math.max(0, ended - started))}
      {usage && ` · ${tokens(usage)} tokens`}
      {spent ? ` · ${cost(spent)}` : ""}
    </span>
  );
}

/** The end of what the agent is saying or thinking right now. */
function Ticker({ chatId, agentId }: { chatId: string; agentId: string }) {
  const draft = useDrafts(chatId, agentId).at(-1);
  const text = draft?.text || draft?.reasoning || "Working…";
  return <span className="mt-1 block h-5 truncate text-xs text-faint italic">{text.slice(-120)}</span>;
}
