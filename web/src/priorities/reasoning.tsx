import { Brain, ChevronRight, Download } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { type AnalysisSummary, getTrace, type Step, type StepStatus, type Trace } from "../api/priorities";
import { useFollowed } from "../data/followed";
import { pages, partPath } from "../place";
import { clock, day, duration, exactTime, pretty } from "../thread/format";
import { Button } from "../ui/button";
import { Choices } from "../ui/choices";
import { CodeBlock } from "../ui/code";
import { Fold } from "../ui/fold";
import { Notice } from "../ui/notice";
import { StatusPill } from "../ui/status";
import { words } from "../words/priorities";
import { exportOf, filterSteps, type TraceFilter, toolsOf } from "./trace";
import { toolWords } from "./words";

const say = words.reasoning;

const traceKinds = ["reasoning_traces"];

interface Props {
  /** Newest first. */
  analyses: readonly AnalysisSummary[];
  /** The address says so. */
  open: boolean;
}

/** How an analysis came to its plan, step by step. */
export function Reasoning({ analyses, open }: Props) {
  const [, navigate] = useLocation();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    if (open) {
      panel.current?.focus();
      panel.current?.scrollIntoView({ block: "start" });
    }
  }, [open]);
  return (
    <section
      ref={panel}
      tabIndex={-1}
      aria-labelledby="reasoning-title"
      className="min-w-0 rounded-xl border border-line bg-page p-4 outline-none"
    >
      <h2 id="reasoning-title" className="text-sm font-semibold">
        <button
          type="button"
          aria-expanded={open}
          onClick={() => navigate(open ? pages.priorities : partPath("reasoning"))}
          className="flex w-full items-center gap-2 text-left"
        >
          <Brain size={16} className="text-soft" aria-hidden />
          <span className="flex-1">{say.reasoning}</span>
          <ChevronRight
            size={16}
            className={`text-soft transition-transform ${open ? "rotate-90" : ""}`}
            aria-hidden
          />
        </button>
      </h2>
      {open && <Traces analyses={analyses} />}
    </section>
  );
}

function Traces({ analyses }: { analyses: readonly AnalysisSummary[] }) {
  const [chosen, setChosen] = useState("");
  const shown = analyses.find((a) => a.id === chosen) ?? analyses[0];
  return (
    <div className="mt-3">
      {analyses.length > 1 && (
        <label className="mb-3 flex flex-wrap items-center gap-2 text-sm">
          <span className="font-medium">{say.analysis}</span>
          <select
            value={shown?.id}
            onChange={(e) => setChosen(e.target.value)}
            className="min-w-0 rounded-lg border border-edge bg-page px-2 py-1"
          >
            {analyses.map((a) => (
              <option key={a.id} value={a.id}>
                {nameOf(a)}
              </option>
            ))}
          </select>
        </label>
      )}
      {shown && <Steps key={shown.id} analysis={shown} />}
    </div>
  );
}

function nameOf(a: AnalysisSummary): string {
  const at = Date.parse(a.created_at);
  const how = a.is_current ? say.currentPlan : a.partial ? say.partial(a.status) : a.status;
  return `${day(at)} ${clock(at)} (${how})`;
}

const statusChoices: { value: StepStatus | ""; label: string }[] = [
  { value: "", label: say.all },
  { value: "success", label: say.done },
  { value: "failed", label: say.failed },
  { value: "skipped", label: say.skipped },
];

function Steps({ analysis }: { analysis: AnalysisSummary }) {
  const [filter, setFilter] = useState<TraceFilter>({ tool: "", status: "" });
  const { value: trace, error } = useFollowed(
    useCallback(() => getTrace(analysis.id), [analysis.id]),
    traceKinds,
  );
  if (!trace) {
    return error ? <Notice text={error} /> : <p className="text-sm text-faint">{say.loading}</p>;
  }
  const steps = filterSteps(trace.steps, filter);
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-end gap-x-6 gap-y-2">
        <label className="text-sm">
          <span className="mb-1 block font-medium">{say.tool}</span>
          <select
            value={filter.tool}
            onChange={(e) => setFilter({ ...filter, tool: e.target.value })}
            className="rounded-lg border border-edge bg-page px-2 py-1"
          >
            <option value="">{say.allTools}</option>
            {toolsOf(trace.steps).map((tool) => (
              <option key={tool} value={tool}>
                {tool}
              </option>
            ))}
          </select>
        </label>
        <Choices
          legend={say.status}
          options={statusChoices}
          value={filter.status}
          onChange={(status) => setFilter({ ...filter, status })}
        />
        <span className="flex-1" />
        <Button icon={<Download size={14} aria-hidden />} onClick={() => save(analysis, trace)}>
          {say.exportJson}
        </Button>
      </div>
      <p role="status" className="text-xs text-faint">
        {say.inAll(steps.length, trace.steps.length, duration(trace.total_duration_ms))}
      </p>
      <ol aria-label={say.steps} className="space-y-2">
        {steps.map((s) => (
          <StepEntry key={s.step_number} step={s} />
        ))}
      </ol>
    </div>
  );
}

function StepEntry({ step: s }: { step: Step }) {
  const failed = s.status === "failed";
  return (
    <li
      data-status={s.status}
      className={`rounded-lg border p-3 ${failed ? "border-bad bg-bad-wash" : "border-line"}`}
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="text-xs text-faint" title={exactTime(Date.parse(s.timestamp))}>
          {s.step_number}
        </span>
        <span className="text-sm font-medium">{toolWords(s.tool_name)}</span>
        {s.tool_name && <code className="text-xs text-faint">{s.tool_name}</code>}
        <span className="flex-1" />
        {s.status && <StatusPill status={s.status} />}
        <span className="text-xs text-faint">{duration(s.duration_ms)}</span>
      </div>
      {s.thought && <p className="mt-1 text-sm whitespace-pre-wrap break-words text-soft">{s.thought}</p>}
      {s.error && <p className="mt-1 text-sm break-words text-bad">{s.error}</p>}
      {s.tool_input !== null && (
        <Fold summary={say.input} className="mt-1.5">
          <CodeBlock text={pretty(s.tool_input)} language="json" />
        </Fold>
      )}
      {s.tool_output !== null && (
        <Fold summary={say.output} className="mt-1.5">
          <div className="max-h-96 overflow-y-auto">
            <CodeBlock text={pretty(s.tool_output)} language="json" />
          </div>
        </Fold>
      )}
    </li>
  );
}

/** Saves a trace as a file. */
function save(analysis: AnalysisSummary, trace: Trace): void {
  const { name, text } = exportOf(analysis, trace);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
