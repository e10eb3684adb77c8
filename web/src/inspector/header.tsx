import { ArrowUpLeft, Pause, Play, RotateCcw, Square, X } from "lucide-react";
import { Link } from "wouter";
import { controlTask, type TaskControl } from "../api/calls";
import type { SubAgent, Task } from "../api/types";
import { useDocument } from "../data/hooks";
import { agentPath, chatPath } from "../place";
import { roleOf } from "../thread/format";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { Notice } from "../ui/notice";
import { RoleIcon } from "../ui/role";
import { StatusPill, statusOf } from "../ui/status";
import { Totals } from "./totals";

interface Props {
  chatId: string;
  agent?: SubAgent;
  task?: Task;
  /** How many calls wait for a person. */
  waiting: number;
}

export function InspectorHeader({ chatId, agent, task, waiting }: Props) {
  const { busy, error, run, clear } = useAction();
  const role = roleOf(agent?.tool ?? agent?.role ?? task?.name ?? "agent");
  const control = (what: TaskControl) => task && run(() => controlTask(task, what));
  return (
    <header className="space-y-2 border-b border-line px-4 py-2">
      <div className="flex min-h-9 items-center gap-2">
        <RoleIcon role={role} size={18} />
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2">
          <h2 className="truncate font-semibold">{role}</h2>
          {task && <StatusPill status={statusOf(task, waiting)} />}
        </div>
        {task && <Controls task={task} busy={busy} onControl={control} />}
        <Link
          href={chatPath(chatId)}
          aria-label="Close the inspector"
          title="Close"
          className="inline-flex size-8 shrink-0 items-center justify-center rounded-lg text-soft hover:bg-hover hover:text-ink"
        >
          <X size={17} />
        </Link>
      </div>
      {agent?.parentId && <Parent chatId={chatId} agentId={agent.parentId} />}
      {error && <Notice text={error} onClose={clear} />}
      <Totals agent={agent} task={task} />
    </header>
  );
}

/** The agent that created this one. */
function Parent({ chatId, agentId }: { chatId: string; agentId: string }) {
  const parent = useDocument("sub_agents", agentId);
  return (
    <Link
      href={agentPath(chatId, agentId)}
      className="inline-flex items-center gap-1 text-sm text-accent hover:underline"
    >
      <ArrowUpLeft size={14} aria-hidden /> Created by {parent ? roleOf(parent.role) : "another agent"}
    </Link>
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
          Retry
        </Button>
      )}
      {open && task.paused && (
        <Button icon={<Play size={14} />} disabled={busy} onClick={() => onControl("resume")}>
          Resume
        </Button>
      )}
      {open && !task.paused && task.status === "running" && (
        <Button icon={<Pause size={14} />} disabled={busy} onClick={() => onControl("pause")}>
          Pause
        </Button>
      )}
      {open && (
        <Button kind="danger" icon={<Square size={13} />} disabled={busy} onClick={() => onControl("cancel")}>
          Cancel
        </Button>
      )}
    </>
  );
}
