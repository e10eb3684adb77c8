import { useCallback, useState } from "react";
import { deleteRun, listRuns } from "../api/graphs";
import { useFollowed } from "../data/followed";
import { duration, exactTime } from "../thread/format";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { ConfirmButton } from "../ui/confirm";
import { Notice } from "../ui/notice";
import { StatusPill } from "../ui/status";
import { words } from "../words/graphs";
import { ComparisonView } from "./comparisonview";
import { statusOf } from "./looks";

const say = words.runlist;

const kinds = ["agent_graph_executions"];

interface Props {
  graphId: string;
  currentId?: string;
  onOpen: (runId: string) => void;
  onSelectNode: (id: string) => void;
}

/** The runs of a graph, newest first. */
export function RunList({ graphId, currentId, onOpen, onSelectNode }: Props) {
  const load = useCallback(() => listRuns(graphId), [graphId]);
  const { value: runs, error, reload } = useFollowed(load, kinds);
  const action = useAction();
  const [other, setOther] = useState<string>();
  return (
    <div className="space-y-2">
      {currentId && other && other !== currentId && (
        <ComparisonView
          left={other}
          right={currentId}
          onSelectNode={onSelectNode}
          onClose={() => setOther(undefined)}
        />
      )}
      {(error || action.error) && <Notice text={error || action.error} />}
      {runs?.length === 0 && <p className="text-sm text-faint">{say.none}</p>}
      <ul aria-label={say.runs} className="space-y-1">
        {runs?.map((r) => (
          <li
            key={r.id}
            className={`flex flex-wrap items-center gap-2 rounded-lg border p-1.5 ${r.id === currentId ? "border-accent" : "border-line"}`}
          >
            <button
              type="button"
              onClick={() => onOpen(r.id)}
              className="min-w-40 flex-1 rounded px-1 text-left text-sm hover:bg-hover"
            >
              <span className="flex items-center gap-2">
                <StatusPill status={statusOf(r.status)} />
                {r.endTime !== null && (
                  <span className="text-xs whitespace-nowrap text-faint">
                    {duration(r.endTime - r.startTime)}
                  </span>
                )}
              </span>
              <span className="block truncate text-xs text-soft">{exactTime(r.startTime)}</span>
              {r.error && <span className="block truncate text-xs text-bad">{r.error.message}</span>}
            </button>
            {currentId && r.id !== currentId && (
              <Button title={say.compareWithShown} onClick={() => setOther(r.id)}>
                {say.compare}
              </Button>
            )}
            <ConfirmButton
              label={say.delete}
              sure={say.really}
              disabled={action.busy}
              onConfirm={() => void action.run(() => deleteRun(r.id)).then(reload)}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}
