import { type ReactNode, useCallback, useRef, useState } from "react";
import type { Plan, Wave } from "../api/priorities";
import { markOf } from "./layout";
import { Lines } from "./lines";
import { TaskCard } from "./taskcard";
import { count, hours, type Tasks } from "./words";

interface Props {
  plan: Plan;
  tasks: Tasks;
}

/** The waves of a plan: columns, or on a phone one below the other. */
export function Board({ plan, tasks }: Props) {
  const [hovered, setHovered] = useState<string>();
  const [focused, setFocused] = useState<string>();
  const [selected, setSelected] = useState<string>();
  const board = useRef<HTMLDivElement>(null);
  const lit = hovered ?? focused ?? selected;
  const waves = plan.execution_waves;
  const select = useCallback((id: string) => setSelected((now) => (now === id ? undefined : id)), []);
  if (waves.length === 0) {
    return <p className="py-6 text-center text-soft">Everything in this plan is done.</p>;
  }
  return (
    <div className="-mx-4 overflow-x-auto px-4 pt-2 pb-1">
      <div
        ref={board}
        className="relative flex min-w-full flex-col gap-4 max-md:pl-3 md:w-max md:flex-row md:items-start md:gap-10"
      >
        {waves.map((wave) => (
          <Column key={wave.wave_number} wave={wave}>
            {wave.task_ids.map((id) => (
              <TaskCard
                key={id}
                id={id}
                task={tasks.get(id)}
                confidence={plan.confidence_scores[id]}
                dependencies={plan.dependencies}
                tasks={tasks}
                mark={markOf(id, lit, plan.dependencies)}
                selected={selected === id}
                onHover={setHovered}
                onFocus={setFocused}
                onSelect={select}
              />
            ))}
          </Column>
        ))}
        <Lines board={board} lit={lit} plan={plan} />
      </div>
    </div>
  );
}

function Column({ wave: w, children }: { wave: Wave; children: ReactNode }) {
  const n = w.task_ids.length;
  return (
    <section aria-label={`Wave ${w.wave_number}`} className="rounded-xl bg-panel p-2.5 md:w-72 md:shrink-0">
      <div className="mb-2 px-1">
        <h3 className="text-sm font-semibold">Wave {w.wave_number}</h3>
        <p className="text-xs text-faint">
          {count(n, "task")}
          {w.estimated_duration_hours !== null && ` · about ${hours(w.estimated_duration_hours)}`}
          {n > 1 && (w.parallel_execution ? " · side by side" : " · one by one")}
        </p>
      </div>
      <ul className="space-y-2">{children}</ul>
    </section>
  );
}
