import { Pause, Play, RotateCcw, Square } from "lucide-react";
import { useId, useState } from "react";
import { cancelRun, pauseRun, type RerunGraph, rerun, resumeRun, runGraph } from "../api/graphs";
import { duration } from "../thread/format";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { inputLook } from "../ui/field";
import { Notice } from "../ui/notice";
import { StatusIcon, StatusPill } from "../ui/status";
import { words } from "../words/graphs";
import { loadInput, saveInput } from "./draft";
import type { Selection } from "./flow";
import { inputOf } from "./input";
import { statusOf } from "./looks";
import { ReplayBar } from "./replaybar";
import type { RunView } from "./run";
import { steeringOf } from "./steer";
import { TurnView } from "./turn";
import { Value, Values } from "./value";

const say = words.runpanel;

interface Props {
  graphId: string;
  view: RunView;
  selection: Selection;
  /** Why it cannot run now. */
  blocked: string;
  /** Saves what is not saved yet, and reports whether it could. */
  save: () => Promise<boolean>;
  onSelectNode: (id: string) => void;
}

/** Runs the graph, and shows what its nodes do. */
export function RunPanel({ graphId, view, selection, blocked, save, onSelectNode }: Props) {
  const [text, setText] = useState(() => loadInput(graphId));
  const id = useId();
  const action = useAction();
  const start = () =>
    action.run(async () => {
      if (await save()) {
        view.begin(await runGraph(graphId, inputOf(text)));
      }
    });
  return (
    <div className="space-y-3">
      <div>
        <label htmlFor={id} className="mb-1 block text-sm font-medium">
          {say.input}
        </label>
        <textarea
          id={id}
          rows={2}
          value={text}
          onChange={(e) => {
            setText(e.target.value);
            saveInput(graphId, e.target.value);
          }}
          aria-describedby={`${id}-hint`}
          className={`${inputLook} field-sizing-content max-h-40`}
        />
        <p id={`${id}-hint`} className="mt-1 text-xs text-faint">
          {say.inputHelp}
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          kind="primary"
          icon={<Play size={14} aria-hidden />}
          disabled={action.busy || blocked !== ""}
          onClick={() => void start()}
        >
          {say.run}
        </Button>
        {blocked && <span className="text-sm text-soft">{blocked}</span>}
      </div>
      {action.error && <Notice text={action.error} onClose={action.clear} />}
      {view.error && <Notice text={view.error} />}
      {view.viewed && <Outcome view={view} selection={selection} save={save} onSelectNode={onSelectNode} />}
    </div>
  );
}

function Outcome({
  view,
  selection,
  save,
  onSelectNode,
}: Pick<Props, "view" | "selection" | "save" | "onSelectNode">) {
  const { viewed, moment } = view;
  const steer = useAction();
  if (!viewed || !moment) {
    return null;
  }
  const { run } = viewed;
  const [node] = selection.nodes;
  const [edge] = selection.edges;
  const turn = moment.turns.findLast((t) => t.nodeId === node);
  const isAtEnd = view.shown === undefined;
  const can = steeringOf(run);
  const again = (graph: RerunGraph) =>
    steer.run(async () => {
      if (turn && (graph === "recorded" || (await save()))) {
        view.begin(await rerun(run.id, turn.nodeId, graph), graph === "recorded" && viewed.recorded);
      }
    });
  return (
    <section
      aria-label={say.run}
      data-run-status={run.status}
      className="space-y-3 border-t border-line pt-3"
    >
      <div className="flex items-center gap-2">
        <h2 className="flex-1 text-sm font-semibold">{say.run}</h2>
        {run.endTime !== null && (
          <span className="text-xs text-faint">{duration(run.endTime - run.startTime)}</span>
        )}
        <StatusPill status={statusOf(run.status)} />
      </div>
      <div className="flex flex-wrap gap-2 empty:hidden">
        {can.pause && (
          <Button
            icon={<Pause size={12} aria-hidden />}
            disabled={steer.busy}
            onClick={() => void steer.run(() => pauseRun(run.id))}
          >
            {say.pause}
          </Button>
        )}
        {can.resume && (
          <Button
            icon={<Play size={12} aria-hidden />}
            disabled={steer.busy}
            onClick={() => void steer.run(() => resumeRun(run.id))}
          >
            {say.resume}
          </Button>
        )}
        {can.cancel && (
          <Button
            icon={<Square size={12} aria-hidden />}
            disabled={steer.busy}
            onClick={() => void steer.run(() => cancelRun(run.id))}
          >
            {say.cancel}
          </Button>
        )}
      </div>
      {steer.error && <Notice text={steer.error} onClose={steer.clear} />}
      {isAtEnd && run.error && (
        <p className="text-sm break-words text-bad">
          {run.error.nodeId && <b>{run.error.nodeId}: </b>}
          {run.error.message}
        </p>
      )}
      {isAtEnd && <Values of={run.output ?? {}} title={say.output} />}
      <ReplayBar steps={view.steps} shown={view.shown} onShow={view.show} />
      {edge && moment.values.has(edge) && (
        <section aria-label={say.edgeData}>
          <h3 className="text-xs font-medium text-soft">{edge.replace(">", " → ")}</h3>
          <Value value={moment.values.get(edge)} />
        </section>
      )}
      {turn && <TurnView turn={turn} />}
      {turn && can.rerun && (
        <div className="flex flex-wrap gap-2">
          <Button
            icon={<RotateCcw size={13} aria-hidden />}
            disabled={steer.busy}
            onClick={() => void again("recorded")}
          >
            {say.againFrom(turn.nodeId)}
          </Button>
          <Button disabled={steer.busy} onClick={() => void again("current")}>
            {say.withGraphNow}
          </Button>
        </div>
      )}
      <ol aria-label={say.turns} className="space-y-0.5">
        {moment.turns.map((t) => (
          <li key={t.number}>
            <button
              type="button"
              onClick={() => onSelectNode(t.nodeId)}
              className={`flex w-full items-center gap-2 rounded px-2 py-1 text-left text-sm hover:bg-hover ${t === turn ? "bg-hover" : ""}`}
            >
              <StatusIcon status={statusOf(t.status)} size={14} />
              <span className="min-w-0 flex-1 truncate">{t.nodeId}</span>
              {t.endTime !== null && (
                <span className="text-xs text-faint">{duration(t.endTime - t.startTime)}</span>
              )}
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
