import { ChevronRight } from "lucide-react";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { Link } from "wouter";
import { useDocuments } from "../data/hooks";
import { runPath } from "../place";
import { cost, duration } from "../thread/format";
import { words } from "../words";
import { runsOf } from "./known";

const say = words.runs;

interface Props {
  chatId: string;
  runId?: string;
}

/** What the run of a message took, and the way to see what happened in it. */
export function RunChip({ chatId, runId }: Props) {
  const known = runsOf(chatId);
  const run = useSyncExternalStore(known.subscribe, () => known.get(runId ?? ""));
  const tasks = useDocuments("tasks", "chatId", chatId);
  const agents = useMemo(() => tasks.filter((t) => t.runId === runId).length, [tasks, runId]);
  useEffect(() => {
    known.load();
  }, [known]);
  if (!runId) {
    return null;
  }
  const parts = run?.endedAt
    ? [
        duration(run.endedAt - run.beganAt),
        agents > 0 && say.agents(agents),
        run.costMicros > 0 && cost(run.costMicros),
      ]
    : [run ? say.status[run.status as keyof typeof say.status] : say.plain];
  return (
    <Link
      href={runPath(runId, chatId)}
      title={say.open}
      className="inline-flex items-center gap-0.5 rounded-full px-1.5 py-0.5 whitespace-nowrap text-faint hover:bg-hover hover:text-ink"
    >
      {say.chip(parts.filter((p) => typeof p === "string"))}
      <ChevronRight size={12} aria-hidden />
    </Link>
  );
}
