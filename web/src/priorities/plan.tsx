import { ListTodo, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Analysis, Outcome, Plan } from "../api/priorities";
import { partPath } from "../place";
import { Board } from "./board";
import { DoneTasks } from "./done";
import { Section } from "./section";
import { Why } from "./why";
import { count, type Tasks, unplanned } from "./words";

interface Props {
  analysis: Analysis;
  outcomes: readonly Outcome[];
  tasks: Tasks;
}

/** The order to work in. */
export function PlanPart({ analysis, outcomes, tasks }: Props) {
  const plan = analysis.prioritized_plan;
  if (!plan) {
    return null;
  }
  return (
    <>
      <Section
        title="Plan"
        icon={<ListTodo size={16} aria-hidden />}
        aside={
          <span className="text-sm text-faint">
            {count(plan.execution_waves.length, "wave")}, {count(open(plan), "open task")}
          </span>
        }
      >
        <Warnings analysis={analysis} plan={plan} outcomes={outcomes} tasks={tasks} />
        <Board plan={plan} tasks={tasks} />
        <DoneTasks plan={plan} tasks={tasks} />
      </Section>
      <Why plan={plan} notices={analysis.notices} tasks={tasks} />
    </>
  );
}

const open = (plan: Plan) => plan.execution_waves.reduce((sum, w) => sum + w.task_ids.length, 0);

function Warnings({ analysis, plan, outcomes, tasks }: Props & { plan: Plan }) {
  const missing = unplanned(plan, tasks.values()).length;
  const made = outcomes.find((o) => o.id === analysis.outcome_id);
  return (
    <div className="space-y-2 empty:hidden">
      {analysis.partial && (
        <Warning>
          This plan is partial: {analysis.failed_tools.join(" and ")} failed.{" "}
          <Link href={partPath("reasoning")} className="underline underline-offset-2">
            See why
          </Link>{" "}
          or analyse again.
        </Warning>
      )}
      {!made?.is_active && (
        <Warning>
          This plan was made for{" "}
          {made ? `another outcome: “${made.assembled_text}”` : "an outcome that is gone."} Analyse again for
          the one that is active.
        </Warning>
      )}
      {missing > 0 && (
        <Warning>
          {count(missing, "task is", "tasks are")} not in this plan yet. Analyse again to take{" "}
          {missing === 1 ? "it" : "them"} in.
        </Warning>
      )}
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
