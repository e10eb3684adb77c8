import { ChevronRight, Pause, Play, RotateCcw, Square, X } from "lucide-react";
import { Fragment } from "react";
import { Link } from "wouter";
import { controlTask, type TaskControl } from "../api/calls";
import type { SubAgent, Task } from "../api/types";
import { useDocuments } from "../data/hooks";
import type { Ask } from "../decisions/asks";
import { agentPath, chatPath } from "../place";
import { roleOf } from "../thread/format";
import { above, titleOf } from "../thread/tree";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { Notice } from "../ui/notice";
import { RoleIcon } from "../ui/role";
import { StatusPill, statusOf } from "../ui/status";
import { words } from "../words/inspector";
import { Totals } from "./totals";

const say = words;

interface Props {
  chatId: string;
  agent?: SubAgent;
  task?: Task;
  helpers: readonly Task[];
  asks: readonly Ask[];
  used: { tokens: number; micros: number };
}

export function InspectorHeader({ chatId, agent, task, helpers, asks, used }: Props) {
  const { busy, error, run, clear } = useAction();
  const role = roleOf(agent?.tool ?? agent?.role ?? task?.name ?? say.unknownAgent);
  const title = task && !task.standing ? titleOf(task) : role;
  const control = (what: TaskControl) => task && run(() => controlTask(task, what));
  const undecided = asks.filter((a) => a.kind === "call" && a.task === task).length;
  return (
    <header className="space-y-2 border-b border-line px-4 py-2">
      <div className="flex min-h-9 items-center gap-2">
        <RoleIcon role={role} size={18} />
        <div className="min-w-0 flex-1">
          {task && <Breadcrumbs task={task} />}
          <div className="flex min-w-0 flex-wrap items-center gap-x-2">
            <h2 className="max-w-full truncate font-semibold" title={title}>
              {title}
            </h2>
            {task && <StatusPill status={statusOf(task, undecided)} />}
            {role !== title && <span className="text-xs text-faint">{role}</span>}
          </div>
        </div>
        {task && <Controls task={task} busy={busy} onControl={control} />}
        <Link
          href={chatPath(chatId)}
          aria-label={say.close}
          title={say.closeShort}
          className="inline-flex size-8 shrink-0 items-center justify-center rounded-lg text-soft hover:bg-hover hover:text-ink"
        >
          <X size={17} />
        </Link>
      </div>
      {error && <Notice text={error} onClose={clear} />}
      <Totals agent={agent} task={task} helpers={helpers.length} used={used} />
    </header>
  );
}

/** The agents that this one works for, the topmost first. */
function Breadcrumbs({ task }: { task: Task }) {
  const parents = above(useDocuments("tasks", "chatId", task.chatId), task);
  if (parents.length === 0) {
    return null;
  }
  return (
    <nav aria-label={say.path} className="flex min-w-0 items-center gap-1 text-xs text-soft">
      {parents.map((parent) => {
        const title = parent.standing ? roleOf(parent.name) : titleOf(parent);
        return (
          <Fragment key={parent.id}>
            <Link
              href={agentPath(parent.chatId, parent.subAgentId ?? "")}
              title={title}
              className="max-w-48 min-w-8 truncate hover:text-ink hover:underline"
            >
              {title}
            </Link>
            <ChevronRight size={12} className="shrink-0" aria-hidden />
          </Fragment>
        );
      })}
    </nav>
  );
}

interface ControlsProps {
  task: Task;
  busy: boolean;
  onControl: (what: TaskControl) => void;
}

function Controls({ task, busy, onControl }: ControlsProps) {
  const open = task.status === "running" || task.status === "pending" || task.status === "waiting";
  return (
    <>
      {task.status === "failed" && (
        <Button icon={<RotateCcw size={14} />} disabled={busy} onClick={() => onControl("retry")}>
          {say.retry}
        </Button>
      )}
      {open && task.paused && (
        <Button icon={<Play size={14} />} disabled={busy} onClick={() => onControl("resume")}>
          {say.resume}
        </Button>
      )}
      {open && !task.paused && task.status === "running" && (
        <Button icon={<Pause size={14} />} disabled={busy} onClick={() => onControl("pause")}>
          {say.pause}
        </Button>
      )}
      {open && (
        <Button kind="danger" icon={<Square size={13} />} disabled={busy} onClick={() => onControl("cancel")}>
          {say.cancel}
        </Button>
      )}
    </>
  );
}
