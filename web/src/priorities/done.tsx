import { CircleCheck, Undo2 } from "lucide-react";
import type { Plan } from "../api/priorities";
import { Button } from "../ui/button";
import { Fold } from "../ui/fold";
import { words } from "../words/priorities";
import { AgentState } from "./agentstate";
import type { Edit } from "./plan";
import { type Tasks, textOf } from "./words";

const say = words.done;

interface Props {
  plan: Plan;
  tasks: Tasks;
  busy: string;
  onEdit: Edit;
}

/** The tasks that need no work any more. */
export function DoneTasks({ plan: { done = [] }, tasks, busy, onEdit }: Props) {
  if (done.length === 0) {
    return null;
  }
  return (
    <Fold summary={say.doneCount(done.length)} open className="mt-3">
      <ul aria-label={say.done} className="space-y-1">
        {done.map((id) => (
          <li key={id} data-card={id} tabIndex={-1} className="flex items-start gap-2 text-sm">
            <CircleCheck size={16} className="mt-1.5 shrink-0 text-good" aria-hidden />
            <div className="min-w-0 flex-1 py-1">
              <p className="break-words text-soft line-through">{textOf(id, tasks)}</p>
              <Result id={id} tasks={tasks} />
            </div>
            <Button
              kind="quiet"
              data-control="done"
              icon={<Undo2 size={14} aria-hidden />}
              disabled={busy === id}
              aria-label={say.undoTask(textOf(id, tasks))}
              onClick={() => onEdit(id, { undo: [id] })}
            >
              {say.undo}
            </Button>
          </li>
        ))}
      </ul>
    </Fold>
  );
}

function Result({ id, tasks }: { id: string; tasks: Tasks }) {
  const task = tasks.get(id);
  return task?.status ? <AgentState task={task} /> : null;
}
