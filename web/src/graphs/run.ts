import { useCallback, useEffect, useMemo, useState } from "react";
import { type Drawn, getRun, listTurns, type Run, runEvents, type Turn } from "../api/graphs";
import { explain } from "../api/http";
import { words } from "../words/graphs";
import { momentAt, stepsOf, told } from "./replay";

const say = words.run;

/** A run that is looked at. */
export interface Viewed {
  run: Run;
  turns: readonly Turn[];
  /** It is shown on the graph as it was recorded, which cannot be changed. */
  recorded: boolean;
}

const names = [
  "execution_began",
  "execution_completed",
  "execution_failed",
  "execution_cancelled",
  "execution_paused",
  "execution_resumed",
  "execution_deleted",
  "node_began",
  "node_delegated",
  "node_retried",
  "node_completed",
  "node_failed",
  "node_cancelled",
];
const last = /^execution_(completed|failed|cancelled|deleted)$/;

export const isOver = (status: string) => ["completed", "failed", "cancelled"].includes(status);

/** Looks at a run: live while it goes on, and step by step whenever one likes. */
export function useRun() {
  const [viewed, setViewed] = useState<Viewed>();
  const [error, setError] = useState("");
  /** How many steps are shown; undefined is all that there are. */
  const [shown, setShown] = useState<number>();
  const id = viewed?.run.id;
  const over = viewed ? isOver(viewed.run.status) : true;

  useEffect(() => {
    if (!id || over) {
      return;
    }
    const join = (now: Viewed, { name, data }: Told) => ({ ...now, ...told(now, name, data) }) as Viewed;
    const stop = follow(id, (events) => {
      if (events.some((e) => e.name === "execution_deleted")) {
        setViewed(undefined);
        setError(say.deleted);
        return;
      }
      setViewed((now) => (now?.run.id === id ? events.reduce(join, now) : now));
    });
    return () => stop();
  }, [id, over]);

  const open = useCallback(async (runId: string, isRecorded: (graph: Drawn) => boolean) => {
    try {
      const [run, turns] = await Promise.all([getRun(runId), listTurns(runId)]);
      setViewed({ run, turns, recorded: isRecorded(run.graph) });
      setShown(undefined);
      setError("");
    } catch (e) {
      setError(explain(e));
    }
  }, []);
  const begin = useCallback((run: Run, recorded = false) => {
    setViewed({ run, turns: [], recorded });
    setShown(undefined);
    setError("");
    if (isOver(run.status)) {
      // A run of quick nodes alone is over before anybody can follow it.
      listTurns(run.id).then(
        (turns) => setViewed((now) => (now?.run.id === run.id ? { ...now, turns } : now)),
        (e) => setError(explain(e)),
      );
    }
  }, []);

  const steps = useMemo(() => stepsOf(viewed?.turns ?? []), [viewed?.turns]);
  const moment = useMemo(
    () => viewed && momentAt(viewed.run.graph, steps, shown ?? steps.length),
    [viewed, steps, shown],
  );
  return {
    viewed,
    error,
    steps,
    shown,
    moment,
    show: setShown,
    open,
    begin,
    close: () => setViewed(undefined),
  };
}

export type RunView = ReturnType<typeof useRun>;

interface Told {
  name: string;
  data: unknown;
}

const pause = 1000;
/** Events that come within this time are shown at once: a run of many quick nodes tells hundreds in a moment. */
const breath = 30;

/** Follows a run until it ends or the page has enough. The browser resumes a stream that broke by itself. */
function follow(id: string, tell: (events: Told[]) => void): () => void {
  let source: EventSource;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let gathering: ReturnType<typeof setTimeout> | undefined;
  let gathered: Told[] = [];
  const show = () => {
    gathering = undefined;
    tell(gathered);
    gathered = [];
  };
  const open = () => {
    source = new EventSource(runEvents(id));
    for (const name of names) {
      source.addEventListener(name, (e: MessageEvent<string>) => {
        gathered.push({ name, data: JSON.parse(e.data) });
        gathering ??= setTimeout(show, breath);
        if (last.test(name)) {
          source.close();
        }
      });
    }
    source.addEventListener("resync", () => {
      source.close();
      open(); // the stream begins with all that has happened
    });
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) {
        timer = setTimeout(open, pause);
      }
    });
  };
  open();
  return () => {
    clearTimeout(timer);
    clearTimeout(gathering);
    source.close();
  };
}
