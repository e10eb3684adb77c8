import { useState } from "react";
import { type Job, listJobs, replayJob } from "../api/operations";
import { exactTime } from "../thread/format";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { useLoaded } from "../ui/loaded";
import { Notice } from "../ui/notice";
import { Cell, Table } from "./table";

const states: { id: Job["state"] | ""; name: string }[] = [
  { id: "", name: "All" },
  { id: "running", name: "Running" },
  { id: "ready", name: "Ready" },
  { id: "blocked", name: "Waiting" },
  { id: "dead", name: "Dead letters" },
];

export function Jobs() {
  const { value, error, reload } = useLoaded(listJobs, 2000);
  const [state, setState] = useState<Job["state"] | "">("");
  const all = value?.items ?? [];
  const shown = state ? all.filter((j) => j.state === state) : all;
  return (
    <div className="space-y-3">
      <fieldset aria-label="Filter" className="flex flex-wrap gap-2">
        {states.map((s) => (
          <Button
            key={s.id}
            aria-pressed={s.id === state}
            kind={s.id === state ? "primary" : "plain"}
            onClick={() => setState(s.id)}
          >
            {s.name} ({s.id ? all.filter((j) => j.state === s.id).length : all.length})
          </Button>
        ))}
      </fieldset>
      {error && <Notice text={error} />}
      {value && (
        <Table
          caption="Jobs"
          heads={["State", "Job", "Attempt", "Since", ""]}
          empty="Nothing is running, waiting or given up. Jobs are gone when they are done."
        >
          {shown.map((j) => (
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
      <Cell className={j.state === "dead" ? "text-bad" : j.state === "running" ? "text-run" : ""}>
        {j.state}
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
          <Button disabled={busy} onClick={replay}>
            Replay
          </Button>
        )}
      </Cell>
    </tr>
  );
}
