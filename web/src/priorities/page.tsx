import { useCallback, useMemo } from "react";
import { useLocation } from "wouter";
import { listDocuments, listFoundTasks, listOutcomes, loadAnalyses, type Plan } from "../api/priorities";
import { useFollowed } from "../data/followed";
import { pages } from "../place";
import { Boundary } from "../ui/boundary";
import { Notice } from "../ui/notice";
import { words } from "../words/priorities";
import { AnalysisBar } from "./analysis";
import { Documents } from "./documents";
import { OutcomePart } from "./outcome";
import { PlanPart } from "./plan";
import { Reasoning } from "./reasoning";

const say = words.page;

const outcomeKinds = ["user_outcomes"];
const documentKinds = ["processed_documents"];
const taskKinds = ["processed_documents", "task_states"];
const sessionKinds = ["agent_sessions"];

/** What to do next: an outcome and documents become tasks in waves. */
export default function Priorities({ part }: { part?: string }) {
  const [, navigate] = useLocation();
  const outcomes = useFollowed(listOutcomes, outcomeKinds);
  const documents = useFollowed(listDocuments, documentKinds);
  const found = useFollowed(listFoundTasks, taskKinds);
  const analyses = useFollowed(loadAnalyses, sessionKinds);
  const tasks = useMemo(() => new Map(found.value?.map((t) => [t.id, t])), [found.value]);
  const active = outcomes.value?.find((o) => o.is_active);
  const error = outcomes.error || documents.error || found.error || analyses.error;
  const { show } = analyses;
  const showPlan = useCallback(
    (plan: Plan) => show((a) => a?.current && { ...a, current: { ...a.current, prioritized_plan: plan } }),
    [show],
  );
  const close = () => navigate(pages.priorities);
  return (
    <main id="main" className="relative min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto max-w-7xl space-y-5 px-4 py-5">
        <div>
          <h1 className="text-xl font-semibold">{say.priorities}</h1>
          <p className="text-sm text-soft">{say.about}</p>
        </div>
        {error && <Notice text={error} />}
        {!(outcomes.value && documents.value && found.value && analyses.value) ? (
          !error && <p className="text-faint">{say.loading}</p>
        ) : (
          <>
            <div className="grid gap-4 lg:grid-cols-2">
              <Boundary what={say.outcome}>
                <OutcomePart
                  outcomes={outcomes.value}
                  editing={part === "outcome"}
                  onClose={close}
                  onChanged={outcomes.reload}
                />
              </Boundary>
              <Boundary what={say.documents}>
                <Documents documents={documents.value} tasks={tasks} onChanged={documents.reload} />
              </Boundary>
            </div>
            <Boundary what={say.analysis}>
              <AnalysisBar active={active} analyses={analyses.value} onChanged={analyses.reload} />
            </Boundary>
            {analyses.value.current && (
              <Boundary what={say.plan}>
                <PlanPart
                  analysis={analyses.value.current}
                  outcomes={outcomes.value}
                  tasks={tasks}
                  onPlan={showPlan}
                  onGiven={found.reload}
                />
              </Boundary>
            )}
            {analyses.value.all.length > 0 && (
              <Boundary what={say.reasoning}>
                <Reasoning analyses={analyses.value.all} open={part === "reasoning"} />
              </Boundary>
            )}
          </>
        )}
      </div>
    </main>
  );
}
