import { Sparkles } from "lucide-react";
import { useCallback, useEffect, useRef } from "react";
import { Link } from "wouter";
import {
  type Analyses,
  type Analysis,
  type AnalysisSummary,
  analyse,
  cancelAnalysis,
  getTrace,
  type Outcome,
  type Step,
} from "../api/priorities";
import { useFollowed } from "../data/followed";
import { partPath } from "../place";
import { duration } from "../thread/format";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { Notice } from "../ui/notice";
import { useNow } from "../ui/now";
import { StatusIcon } from "../ui/status";
import { phrase } from "../words/phrase";
import { words } from "../words/priorities";
import { Section } from "./section";
import { toolWords } from "./words";

const say = words.analysis;

const traceKinds = ["reasoning_traces"];

interface Props {
  active?: Outcome;
  analyses: Analyses;
  onChanged: () => Promise<void>;
}

/** Begins an analysis, shows the one under way, and says how the last one ended. */
export function AnalysisBar({ active, analyses: { all, current, running }, onChanged }: Props) {
  const { busy, error, run, clear } = useAction();
  const begin = async () => {
    await run(analyse);
    await onChanged(); // also when one is under way already: it is shown
  };
  const last = all[0];
  const button = (
    <Button
      kind="primary"
      icon={<Sparkles size={15} aria-hidden />}
      disabled={!active || busy || running !== undefined}
      aria-describedby={active ? undefined : "no-outcome"}
      onClick={begin}
    >
      {running ? say.analysing : current ? say.analyseAgain : say.analyse}
    </Button>
  );
  return (
    <Section title={say.analysis} icon={<Sparkles size={16} aria-hidden />} aside={button}>
      {!active && (
        <p id="no-outcome" className="text-sm text-soft">
          {phrase(say.needsOutcome, {
            link: (
              <Link
                href={partPath("outcome")}
                className="font-medium text-accent underline underline-offset-2"
              >
                {say.sayOutcome}
              </Link>
            ),
          })}
        </p>
      )}
      {active && !running && !last && <p className="text-sm text-soft">{say.about}</p>}
      {error && !running && <Notice text={error} onClose={clear} />}
      {running && <Progress key={running.id} analysis={running} onChanged={onChanged} />}
      {!running && !error && last && <Ending analysis={last} kept={current !== undefined} />}
    </Section>
  );
}

const cancelled = /cancelled/;

/** How the last analysis ended. If a plan is kept it is that of one before. */
function Ending({ analysis: a, kept }: { analysis: AnalysisSummary; kept: boolean }) {
  const { steps_taken: steps, total_time_ms: ms } = a.execution_metadata;
  if (a.status === "failed" && a.error && !cancelled.test(a.error)) {
    return (
      <div className="space-y-1">
        <Notice text={say.failed(a.error)} />
        <p className="text-sm text-soft">
          {kept && say.oldPlanCounts}
          <Link href={partPath("reasoning")} className="text-accent underline underline-offset-2">
            {say.seeHowFar}
          </Link>
        </p>
      </div>
    );
  }
  return (
    <p role="status" className="text-sm text-soft">
      {a.status === "failed" ? say.cancelled : say.done(duration(ms), steps)}
    </p>
  );
}

interface ProgressProps {
  analysis: Analysis;
  onChanged: () => Promise<void>;
}

/** The steps of an analysis as they come. */
function Progress({ analysis, onChanged }: ProgressProps) {
  const trace = useFollowed(
    useCallback(() => getTrace(analysis.id), [analysis.id]),
    traceKinds,
  );
  const { busy, error, run } = useAction();
  const now = useNow(true);
  const end = useRef<HTMLLIElement>(null);
  const steps = trace.value?.steps ?? [];
  const doing = analysis.doing;
  const number = doing?.step_number ?? steps.length + 1;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the newest step is to be seen
  useEffect(() => {
    end.current?.scrollIntoView({ block: "nearest" });
  }, [number]);
  const cancel = async () => {
    await run(() => cancelAnalysis(analysis.id));
    await onChanged();
  };
  return (
    <div>
      <ol aria-label={say.stepsSoFar} aria-live="polite" className="space-y-1.5">
        {steps
          .filter((s) => s.step_number < number)
          .map((s) => (
            <StepLine key={s.step_number} step={s} />
          ))}
        <li ref={end} className="flex items-start gap-2 text-sm">
          <span className="mt-0.5">
            <StatusIcon status="running" />
          </span>
          <span className="min-w-0 flex-1">
            {analysis.status === "queued"
              ? say.waitingToBegin
              : doing
                ? `${toolWords(doing.tool_name)}…`
                : say.thinking}
            {doing?.thought && <Thought text={doing.thought} />}
          </span>
        </li>
      </ol>
      {error && <Notice text={error} />}
      <div className="mt-3 flex items-center gap-3">
        <Button kind="danger" disabled={busy} onClick={cancel}>
          {say.cancel}
        </Button>
        <span className="text-sm text-faint">
          {say.step(number)} · {duration(Math.max(0, now - Date.parse(analysis.created_at)))}
        </span>
      </div>
    </div>
  );
}

function StepLine({ step }: { step: Step }) {
  return (
    <li className="flex items-start gap-2 text-sm">
      <span className="mt-0.5">
        <StatusIcon status={step.status ?? "success"} />
      </span>
      <span className="min-w-0 flex-1">
        {toolWords(step.tool_name)}
        {step.error && <span className="text-bad"> – {step.error}</span>}
        {step.thought && <Thought text={step.thought} />}
      </span>
      <span className="shrink-0 text-xs text-faint">{duration(step.duration_ms)}</span>
    </li>
  );
}

function Thought({ text }: { text: string }) {
  return <span className="block truncate text-xs text-faint">{text}</span>;
}
