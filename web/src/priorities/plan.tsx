import { ListTodo, TriangleAlert } from "lucide-react";
import { type ReactNode, useCallback, useRef, useState } from "react";
import { Link } from "wouter";
import { explain } from "../api/http";
import { type Analysis, editPlan, type Outcome, type Plan, type PlanEdit } from "../api/priorities";
import { partPath } from "../place";
import { Notice } from "../ui/notice";
import { phrase } from "../words/phrase";
import { words } from "../words/priorities";
import { Board } from "./board";
import { DoneTasks } from "./done";
import { useRefocus } from "./refocus";
import { Section } from "./section";
import { Why } from "./why";
import { movedWords, type Tasks, unplanned } from "./words";

const say = words.plan;

interface Props {
  analysis: Analysis;
  outcomes: readonly Outcome[];
  tasks: Tasks;
  /** Shows the plan that the server answered with. */
  onPlan: (plan: Plan) => void;
  /** A wave was given to agents. */
  onGiven: () => Promise<void>;
}

/** Changes the plan. The id is that of the task which it is about. */
export type Edit = (id: string, edit: PlanEdit) => void;

export function PlanPart({ analysis, outcomes, tasks, onPlan, onGiven }: Props) {
  const plan = analysis.prioritized_plan;
  const [busy, setBusy] = useState("");
  const [error, setError] = useState("");
  const [said, setSaid] = useState("");
  const part = useRef<HTMLDivElement>(null);
  const remember = useRefocus(part, plan);
  const edit: Edit = useCallback(
    async (id, change) => {
      remember(id);
      setBusy(id);
      setError("");
      try {
        const next = await editPlan(analysis.id, change);
        onPlan(next);
        const wave = change.pin?.[id];
        setSaid(wave ? movedWords(next, id, wave, tasks) : "");
      } catch (e) {
        setError(explain(e));
      } finally {
        setBusy("");
      }
    },
    [analysis.id, onPlan, remember, tasks],
  );
  if (!plan) {
    return null;
  }
  return (
    <div ref={part} className="space-y-5">
      <Section
        title={say.plan}
        icon={<ListTodo size={16} aria-hidden />}
        aside={
          <span className="text-sm text-faint">{say.size(plan.execution_waves.length, open(plan))}</span>
        }
      >
        <Warnings analysis={analysis} plan={plan} outcomes={outcomes} tasks={tasks} />
        {error && <Notice text={error} onClose={() => setError("")} />}
        <p role="status" className="text-sm text-soft empty:hidden">
          {said}
        </p>
        <Board
          analysisId={analysis.id}
          plan={plan}
          tasks={tasks}
          busy={busy}
          onEdit={edit}
          onGiven={onGiven}
        />
        <DoneTasks plan={plan} tasks={tasks} busy={busy} onEdit={edit} />
      </Section>
      <Why plan={plan} notices={analysis.notices} tasks={tasks} />
    </div>
  );
}

const open = (plan: Plan) => plan.execution_waves.reduce((sum, w) => sum + w.task_ids.length, 0);

function Warnings({ analysis, plan, outcomes, tasks }: Omit<Props, "onPlan" | "onGiven"> & { plan: Plan }) {
  const missing = unplanned(plan, tasks.values()).length;
  const made = outcomes.find((o) => o.id === analysis.outcome_id);
  return (
    <div className="space-y-2 empty:hidden">
      {analysis.partial && (
        <Warning>
          {phrase(say.partial(analysis.failed_tools), {
            why: (
              <Link href={partPath("reasoning")} className="underline underline-offset-2">
                {say.seeWhy}
              </Link>
            ),
          })}
        </Warning>
      )}
      {!made?.is_active && (
        <Warning>{made ? say.otherOutcome(made.assembled_text) : say.outcomeGone}</Warning>
      )}
      {missing > 0 && <Warning>{say.missing(missing)}</Warning>}
    </div>
  );
}

function Warning({ children }: { children: ReactNode }) {
  return (
    <p className="flex items-start gap-2 rounded-lg bg-wait-wash px-3 py-2 text-sm">
      <TriangleAlert size={16} className="mt-0.5 shrink-0 text-wait" aria-hidden />
      <span className="min-w-0">{children}</span>
    </p>
  );
}
