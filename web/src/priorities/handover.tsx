import { Bot } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { runWave, type Wave } from "../api/priorities";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { Notice } from "../ui/notice";
import { useReturnFocus } from "./returnfocus";
import { count, freeTasks, type Tasks } from "./words";

interface Props {
  analysisId: string;
  wave: Wave;
  tasks: Tasks;
  onGiven: () => Promise<void>;
}

/** Gives the tasks of a wave to agents, after asking: each of them costs. */
export function Handover({ analysisId, wave, tasks, onGiven }: Props) {
  const [asking, setAsking] = useState(false);
  const { busy, error, run, clear } = useAction();
  const place = useRef<HTMLDivElement>(null);
  useReturnFocus(asking, place);
  useEffect(() => {
    if (asking) {
      place.current?.querySelector("button")?.focus();
    }
  }, [asking]);
  const give = async () => {
    if (await run(() => runWave(analysisId, wave.wave_number))) {
      setAsking(false);
      await onGiven();
    }
  };
  const n = freeTasks(wave.task_ids, tasks).length;
  if (n === 0) {
    return <p className="mt-2 px-1 text-xs text-soft">Agents are at work on this wave.</p>;
  }
  return (
    <div ref={place} className="mt-2">
      {error && <Notice text={error} onClose={clear} />}
      {asking ? (
        <div className="rounded-lg bg-accent-wash p-2.5 text-sm">
          <p className="mb-2">
            {count(n, "agent")} will work on {n === 1 ? "one task" : `${n} tasks`} of this wave, in a new
            chat. The cards show what comes of it.
          </p>
          <div className="flex gap-2">
            <Button kind="primary" disabled={busy} onClick={give}>
              {busy ? "Starting…" : `Start ${count(n, "agent")}`}
            </Button>
            <Button onClick={() => setAsking(false)}>Not now</Button>
          </div>
        </div>
      ) : (
        <Button
          kind="quiet"
          icon={<Bot size={15} aria-hidden />}
          aria-label={`Give wave ${wave.wave_number} to agents`}
          onClick={() => setAsking(true)}
          className="w-full"
        >
          Give this wave to agents
        </Button>
      )}
    </div>
  );
}
