import { CircleCheck } from "lucide-react";
import type { Plan } from "../api/priorities";
import { Fold } from "../ui/fold";
import { type Tasks, textOf } from "./words";

interface Props {
  plan: Plan;
  tasks: Tasks;
}

/** The tasks that need no work any more. */
export function DoneTasks({ plan: { done = [] }, tasks }: Props) {
  if (done.length === 0) {
    return null;
  }
  return (
    <Fold summary={`Done (${done.length})`} open className="mt-3">
      <ul aria-label="Done" className="space-y-1">
        {done.map((id) => (
          <li key={id} className="flex items-start gap-2 text-sm">
            <CircleCheck size={16} className="mt-1.5 shrink-0 text-good" aria-hidden />
            <div className="min-w-0 flex-1 py-1">
              <p className="break-words text-soft line-through">{textOf(id, tasks)}</p>
            </div>
          </li>
        ))}
      </ul>
    </Fold>
  );
}
