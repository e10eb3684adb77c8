import { useState } from "react";
import { type Job, listJobs, replayJob } from "../api/operations";
import { exactTime } from "../thread/format";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { Choices } from "../ui/choices";
import { useLoaded } from "../ui/loaded";
import { Notice } from "../ui/notice";
import { Cell, Table } from "./table";

type Filter = Job["state"] | "all";

const filters: Record<Filter, string> = {
  all: "All",
  running: "Running",
  ready: "Ready",
  blocked: "Waiting",
  dead: "Dead letters",
};

const states: Record<Job["state"], { words: string; look: string }> = {
  running: { words: "Running", look: "bg-run-wash text-run" },
  ready: { words: "Ready", look: "bg-hover text-soft" },
  blocked: { words: "Waiting", look: "bg-hover text-soft" },
  dead: { words: "Given up", look: "bg-bad-wash text-bad" },
};

export function Jobs() {
  const { value, error, reload } = useLoaded(listJobs, 2000);
  const [state, setState] = useState<Filter>("all");
  const all = value ?? [];
  const of = (filter: Filter) => (filter === "all" ? all : all.filter((j) => j.state === filter));
  return (
    <div className="space-y-3">
      <Choices
        quiet
        legend="Jobs to show"
        options={(Object.keys(filters) as Filter[]).map((f) => ({
          value: f,
          label: `${filters[f]} (${of(f).length})`,
        }))}
        value={state}
        onChange={setState}
      />
      {error && <Notice text={error} />}
      {value && (
        <Table
          caption="Jobs"
          heads={["State", "Job", "Attempt", "Since", ""]}
          empty="No jobs are running, waiting or given up. Finished jobs are removed."
        >
          {of(state).map((j) => (
            <Row key={j.id} job={j} onChanged={reload} />
          ))}
        </Table>
      )}
    </div>
  );
}

function Row({ job: j, onChanged }: { job: Job; onChanged: () => void }) {
  const { busy, error, run } = useAction();
  const replay = async () => {
    if (await run(() => replayJob(j.id))) {
      onChanged();
    }
  };
  return (
    <tr>
      <Cell>
        <span
          className={`rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap ${states[j.state].look}`}
        >
          {states[j.state].words}
        </span>
      </Cell>
      <Cell className="min-w-72">
        <div className="font-medium">{j.trigger}</div>
        <div className="font-mono text-xs break-all text-faint">{j.change.path}</div>
        {j.error && <div className="mt-1 text-xs break-words text-bad">{j.error}</div>}
        {error && <Notice text={error} />}
      </Cell>
      <Cell className="tabular-nums">{j.attempt}</Cell>
      <Cell className="whitespace-nowrap text-xs text-faint">{exactTime(j.createdAt)}</Cell>
      <Cell>
        {j.state === "dead" && (
          <div className="flex justify-end">
            <Button disabled={busy} onClick={replay}>
              Replay
            </Button>
          </div>
        )}
      </Cell>
    </tr>
  );
}
