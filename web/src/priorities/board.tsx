import { type DragEvent, type ReactNode, useCallback, useRef, useState } from "react";
import type { Plan, Wave } from "../api/priorities";
import { words } from "../words/priorities";
import { Handover } from "./handover";
import { markOf } from "./layout";
import { Lines } from "./lines";
import type { Edit } from "./plan";
import { TaskCard } from "./taskcard";
import { hours, type Tasks } from "./words";

const say = words.board;

/** What a card that is dragged is known by. */
const dragged = "application/x-nestor-task";

interface Props {
  analysisId: string;
  plan: Plan;
  tasks: Tasks;
  /** The task whose change is on its way. */
  busy: string;
  onEdit: Edit;
  /** A wave was given to agents. */
  onGiven: () => Promise<void>;
}

/** The waves of a plan: columns, or on a phone one below the other. */
export function Board({ analysisId, plan, tasks, busy, onEdit, onGiven }: Props) {
  const [hovered, setHovered] = useState<string>();
  const [focused, setFocused] = useState<string>();
  const [selected, setSelected] = useState<string>();
  const [dragging, setDragging] = useState(false);
  const board = useRef<HTMLDivElement>(null);
  const lit = hovered ?? focused ?? selected;
  const waves = plan.execution_waves;
  const select = useCallback((id: string) => setSelected((now) => (now === id ? undefined : id)), []);
  const drag = useCallback((e: DragEvent, id: string) => {
    e.dataTransfer.setData(dragged, id);
    e.dataTransfer.effectAllowed = "move";
    setDragging(true);
  }, []);
  const drop = (wave: number) => (id: string) => {
    setDragging(false);
    if (!waves.find((w) => w.wave_number === wave)?.task_ids.includes(id)) {
      onEdit(id, { pin: { [id]: wave } });
    }
  };
  if (waves.length === 0) {
    return <p className="py-6 text-center text-soft">{say.allDone}</p>;
  }
  return (
    <div className="-mx-4 mt-1 overflow-auto px-4 py-1 md:max-h-[85dvh]">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it only learns that a drag ended */}
      <div
        ref={board}
        onDragEnd={() => setDragging(false)}
        className="relative flex min-w-full flex-col gap-4 max-md:pl-3 md:w-max md:flex-row md:items-start md:gap-10"
      >
        {waves.map((wave) => (
          <Column
            key={wave.wave_number}
            wave={wave}
            onDropped={drop(wave.wave_number)}
            foot={<Handover analysisId={analysisId} wave={wave} tasks={tasks} onGiven={onGiven} />}
          >
            {wave.task_ids.map((id) => (
              <TaskCard
                key={id}
                id={id}
                task={tasks.get(id)}
                wave={wave.wave_number}
                waves={waves.length}
                confidence={plan.confidence_scores[id]}
                pinned={plan.pinned?.[id] !== undefined}
                dependencies={plan.dependencies}
                tasks={tasks}
                mark={markOf(id, lit, plan.dependencies)}
                selected={selected === id}
                busy={busy === id}
                onHover={setHovered}
                onFocus={setFocused}
                onSelect={select}
                onDrag={drag}
                onEdit={onEdit}
              />
            ))}
          </Column>
        ))}
        {dragging && (
          <DropArea
            label={say.newWave}
            onDropped={drop(waves.length + 1)}
            className="flex min-h-24 w-40 shrink-0 items-center justify-center rounded-xl border-2 border-dashed border-line text-sm text-soft max-md:hidden"
          >
            {say.newWave}
          </DropArea>
        )}
        <Lines board={board} lit={lit} plan={plan} />
      </div>
    </div>
  );
}

interface ColumnProps {
  wave: Wave;
  onDropped: (id: string) => void;
  /** What stands below the cards. */
  foot: ReactNode;
  children: ReactNode;
}

function Column({ wave: w, onDropped, foot, children }: ColumnProps) {
  const n = w.task_ids.length;
  return (
    <DropArea
      label={say.wave(w.wave_number)}
      onDropped={onDropped}
      className="rounded-xl bg-panel px-2.5 pt-1 pb-2.5 md:w-72 md:shrink-0"
    >
      <div className="z-10 mb-1 bg-panel px-1 py-1.5 md:sticky md:top-0">
        <h3 className="text-sm font-semibold">{say.wave(w.wave_number)}</h3>
        <p className="text-xs text-faint">
          {say.tasks(n)}
          {w.estimated_duration_hours !== null && say.about(hours(w.estimated_duration_hours))}
          {n > 1 && (w.parallel_execution ? say.sideBySide : say.oneByOne)}
        </p>
      </div>
      <ul className="space-y-2">{children}</ul>
      {foot}
    </DropArea>
  );
}

interface DropProps {
  label: string;
  className: string;
  onDropped: (id: string) => void;
  children: ReactNode;
}

function DropArea({ label, className, onDropped, children }: DropProps) {
  const [over, setOver] = useState(false);
  const accepts = (e: DragEvent) => e.dataTransfer.types.includes(dragged);
  return (
    <section
      aria-label={label}
      onDragOver={(e) => {
        if (accepts(e)) {
          e.preventDefault();
          setOver(true);
        }
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(e) => {
        setOver(false);
        if (accepts(e)) {
          e.preventDefault();
          onDropped(e.dataTransfer.getData(dragged));
        }
      }}
      className={`${className} ${over ? "outline-2 outline-accent" : ""}`}
    >
      {children}
    </section>
  );
}
