import { Bot } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { runWave, type Wave } from "../api/priorities";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { Notice } from "../ui/notice";
import { words } from "../words/priorities";
import { useReturnFocus } from "./returnfocus";
import { freeTasks, type Tasks } from "./words";

const say = words.handover;

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
    return <p className="mt-2 px-1 text-xs text-soft">{say.atWork}</p>;
  }
  return (
    <div ref={place} className="mt-2">
      {error && <Notice text={error} onClose={clear} />}
      {asking ? (
        <div className="rounded-lg bg-accent-wash p-2.5 text-sm">
          <p className="mb-2">{say.willWork(n)}</p>
          <div className="flex gap-2">
            <Button kind="primary" disabled={busy} onClick={give}>
              {busy ? say.starting : say.start(n)}
            </Button>
            <Button onClick={() => setAsking(false)}>{say.notNow}</Button>
          </div>
        </div>
      ) : (
        <Button
          kind="quiet"
          icon={<Bot size={15} aria-hidden />}
          aria-label={say.giveWave(wave.wave_number)}
          onClick={() => setAsking(true)}
          className="w-full"
        >
          {say.giveThis}
        </Button>
      )}
    </div>
  );
}
