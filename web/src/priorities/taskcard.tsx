import { Check, Clock, GitBranch, Pin } from "lucide-react";
import { type DragEvent, memo } from "react";
import type { Dependency, FoundTask } from "../api/priorities";
import { IconButton } from "../ui/button";
import { words } from "../words/priorities";
import { AgentState } from "./agentstate";
import { Days } from "./days";
import { type Mark, orders } from "./layout";
import type { Edit } from "./plan";
import { hours, percent, sourceWords, type Tasks, textOf } from "./words";

const say = words.taskcard;

interface Props {
  id: string;
  /** Absent if its document is gone. */
  task?: FoundTask;
  wave: number;
  waves: number;
  confidence?: number;
  pinned: boolean;
  dependencies: readonly Dependency[];
  tasks: Tasks;
  mark: Mark;
  selected: boolean;
  busy: boolean;
  onHover: (id: string | undefined) => void;
  onFocus: (id: string | undefined) => void;
  onSelect: (id: string) => void;
  onDrag: (e: DragEvent, id: string) => void;
  onEdit: Edit;
}

const looks: Record<NonNullable<Mark> | "none", string> = {
  self: "border-accent bg-raised ring-1 ring-accent",
  before: "border-accent bg-accent-wash",
  after: "border-accent bg-accent-wash",
  none: "border-line bg-raised",
};

/** A task in its wave. */
export const TaskCard = memo(function TaskCard(props: Props) {
  const { id, task, mark, selected, busy, pinned, wave, dependencies, onHover, onFocus, onSelect } = props;
  const text = task?.text ?? say.gone;
  const needs = dependencies.filter((d) => orders(d) && d.source_task_id === id);
  const neededBy = dependencies.filter((d) => orders(d) && d.target_task_id === id);
  return (
    <li
      data-card={id}
      data-mark={mark}
      aria-busy={busy}
      tabIndex={-1}
      draggable
      onDragStart={(e) => props.onDrag(e, id)}
      onPointerEnter={() => onHover(id)}
      onPointerLeave={() => onHover(undefined)}
      onFocus={() => onFocus(id)}
      onBlur={() => onFocus(undefined)}
      className={`rounded-lg border p-2.5 ${looks[mark ?? "none"]} ${busy ? "animate-pulse" : ""}`}
    >
      <button
        type="button"
        data-control="select"
        aria-expanded={selected}
        onClick={() => onSelect(id)}
        className={`block w-full cursor-grab text-left text-sm leading-snug break-words ${selected ? "" : "line-clamp-4"}`}
      >
        {text}
      </button>
      <Facts {...props} needs={needs.length} />
      {task?.status && <AgentState task={task} />}
      {selected && <Details needs={needs} neededBy={neededBy} tasks={props.tasks} />}
      <div className="mt-1.5 flex items-center gap-0.5">
        <select
          data-control="move"
          aria-label={say.moveTask(text)}
          value={wave}
          disabled={busy}
          onChange={(e) => props.onEdit(id, { pin: { [id]: Number(e.target.value) } })}
          className="min-w-0 flex-1 rounded-md border border-transparent bg-raised py-1 text-xs text-soft hover:border-line"
        >
          {Array.from({ length: props.waves + 1 }, (_, i) => i + 1).map((n) => (
            <option key={n} value={n}>
              {n === wave ? say.inWave(n) : n > props.waves ? say.moveToNew : say.moveTo(n)}
            </option>
          ))}
        </select>
        <IconButton
          data-control="pin"
          label={pinned ? say.unpin(text) : say.pin(text, wave)}
          aria-pressed={pinned}
          disabled={busy}
          onClick={() => props.onEdit(id, pinned ? { unpin: [id] } : { pin: { [id]: wave } })}
          className={`size-7 ${pinned ? "bg-accent-wash text-accent" : ""}`}
        >
          <Pin size={14} fill={pinned ? "currentColor" : "none"} />
        </IconButton>
        <IconButton
          data-control="done"
          label={say.markDone(text)}
          disabled={busy}
          onClick={() => props.onEdit(id, { done: [id] })}
          className="size-7 hover:text-good"
        >
          <Check size={15} />
        </IconButton>
      </div>
    </li>
  );
});

function Facts({ task, confidence, needs }: Props & { needs: number }) {
  return (
    <div className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-0.5 text-xs text-faint">
      {task && (
        <span className="inline-flex items-center gap-1" title={say.effort}>
          <Clock size={12} aria-hidden /> {hours(task.effort_hours)}
        </span>
      )}
      {task && <Days task={task} />}
      {confidence !== undefined && <Confidence share={confidence} />}
      {needs > 0 && (
        <span className="inline-flex items-center gap-1" title={say.first}>
          <GitBranch size={12} aria-hidden /> {say.after(needs)}
        </span>
      )}
      {task && (
        <span className="min-w-0 max-w-full truncate" title={task.document_title}>
          {task.document_title}
        </span>
      )}
    </div>
  );
}

function Confidence({ share }: { share: number }) {
  return (
    <span className="inline-flex items-center gap-1.5" title={say.howSure}>
      <svg aria-hidden="true" viewBox="0 0 28 4" className="h-1 w-7">
        <rect width="28" height="4" rx="2" className="fill-line" />
        <rect width={28 * share} height="4" rx="2" className="fill-accent" />
      </svg>
      {percent(share)} <span className="sr-only">{say.sure}</span>
    </span>
  );
}

interface DetailsProps {
  needs: readonly Dependency[];
  neededBy: readonly Dependency[];
  tasks: Tasks;
}

/** Why a task stands where it does. */
function Details({ needs, neededBy, tasks }: DetailsProps) {
  if (needs.length + neededBy.length === 0) {
    return <p className="mt-2 text-xs text-soft">{say.alone}</p>;
  }
  return (
    <div className="mt-2 space-y-1.5 border-t border-line pt-2 text-xs">
      <Names title={say.comesAfter} list={needs} of={(d) => d.target_task_id} tasks={tasks} />
      <Names title={say.comesBefore} list={neededBy} of={(d) => d.source_task_id} tasks={tasks} />
    </div>
  );
}

interface NamesProps {
  title: string;
  list: readonly Dependency[];
  of: (d: Dependency) => string;
  tasks: Tasks;
}

function Names({ title, list, of, tasks }: NamesProps) {
  if (list.length === 0) {
    return null;
  }
  return (
    <div>
      <p className="font-medium text-soft">{title}</p>
      <ul className="list-disc pl-4 text-soft">
        {list.map((d) => (
          <li key={of(d)} className="break-words" title={sourceWords(d)}>
            {textOf(of(d), tasks)}
          </li>
        ))}
      </ul>
    </div>
  );
}
