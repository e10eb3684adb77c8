import { ChevronRight } from "lucide-react";
import { useEffect, useId } from "react";
import type { Task } from "../api/types";
import { type Ask, isForPeople } from "../decisions/asks";
import { nobody, type Tree, useTrees } from "../decisions/hooks";
import { isEnded } from "../thread/tree";
import { Boundary } from "../ui/boundary";
import { isOpened, useOpened } from "../ui/opened";
import { couldNot } from "../ui/status";
import { words } from "../words";
import { AgentRow } from "./agentrow";
import { Figures } from "./figures";

const say = words.chat;

interface Props {
  tasks: readonly Task[];
  /** The agent that is shown beside the chat. */
  agentId?: string;
}

/**
 * The agents that a message led to. Folded are those that are done and those that the person folded;
 * who waits for a person stays in sight.
 */
export function Group({ tasks, agentId }: Props) {
  const id = useId();
  const [first] = tasks;
  const trees = useTrees(first?.chatId ?? "", tasks);
  const done = tasks.every((t) => isEnded(t) && !broke(t)) && !tasks.some((t) => isOpened(t.id));
  useEffect(() => {
    if (!done) {
      import("../decisions/ask").catch(() => {}); // so that a question is shown at once
    }
  }, [done]);
  const [open, toggle] = useOpened(`group ${first?.id}`, !done);
  const rows = tasks.map((task, i) => ({ task, tree: trees[i] ?? nobody }));
  const headed = tasks.length > 1;
  const shown = open || !headed ? rows : rows.filter((r) => r.tree.asks.some(isForPeople));
  return (
    <section
      aria-label={say.agents(tasks.length)}
      className="overflow-hidden rounded-xl border border-line bg-raised"
    >
      {headed && (
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          onClick={toggle}
          className="flex min-h-8 w-full items-center gap-2 px-2.5 sm:pr-10 text-left text-[13px] hover:bg-hover focus-visible:outline-offset-[-2px]"
        >
          <ChevronRight
            size={14}
            className={`shrink-0 text-faint transition-transform ${open ? "rotate-90" : ""}`}
            aria-hidden
          />
          <Counts tasks={tasks} asks={trees.flatMap((t) => t.asks)} />
          <Figures tasks={tasks} used={sum(trees)} />
        </button>
      )}
      <ul id={id} className={headed && shown.length > 0 ? "border-t border-line" : ""}>
        {shown.map(({ task, tree }) => (
          <Boundary key={task.id} what={say.parts.task}>
            <AgentRow
              task={task}
              tree={tree}
              beside={agentId !== undefined && task.subAgentId === agentId}
              group={tasks}
            />
          </Boundary>
        ))}
      </ul>
    </section>
  );
}

const broke = (task: Task) => task.status === "failed" && !couldNot(task);

const sum = (trees: readonly Tree[]) =>
  trees.reduce(
    (all, { used }) => ({ tokens: all.tokens + used.tokens, micros: all.micros + used.micros }),
    nobody.used,
  );

/** How the agents stand, in words. */
function Counts({ tasks, asks }: { tasks: readonly Task[]; asks: readonly Ask[] }) {
  const count = (is: (t: Task) => boolean) => tasks.filter(is).length;
  const waiting = new Set(asks.filter(isForPeople).map((a) => a.task)).size;
  const counts = [
    [waiting, say.waitingForYou, "text-wait"],
    [count(broke), say.failed, "text-bad"],
    [count(couldNot), say.couldNot, "text-wait"],
    [count((t) => t.status === "cancelled"), say.cancelled, "text-faint"],
  ] as const;
  return (
    <span className="flex min-w-0 flex-1 items-center gap-x-2 truncate">
      <span className="font-medium">
        {say.done(
          count((t) => t.status === "success"),
          tasks.length,
        )}
      </span>
      {counts.map(
        ([n, text, look]) =>
          n > 0 && (
            <span key={look + text(n)} className={`truncate ${look}`}>
              {text(n)}
            </span>
          ),
      )}
    </span>
  );
}
