import { PanelRight } from "lucide-react";
import { lazy, Suspense, useId, useMemo } from "react";
import { Link } from "wouter";
import { controlTask } from "../api/calls";
import type { Task } from "../api/types";
import { useOutbox } from "../data/hooks";
import { tasksWritten } from "../data/settings";
import { Answers } from "../decisions/answers";
import { isForPeople } from "../decisions/asks";
import type { Tree } from "../decisions/hooks";
import { agentPath, chatPath } from "../place";
import { assignment, roleOf } from "../thread/format";
import { titleOf } from "../thread/tree";
import { useAction } from "../ui/action";
import { Notice } from "../ui/notice";
import { useOpened } from "../ui/opened";
import { StatusIcon, statusOf } from "../ui/status";
import { words } from "../words";
import { Doing } from "./doing";
import { Figures } from "./figures";

const AgentDetail = lazy(() => import("./agentdetail"));
const AskView = lazy(() => import("../decisions/ask"));
const say = words.decisions;

interface Props {
  task: Task;
  tree: Tree;
  /** Its agent is shown beside the chat. */
  beside: boolean;
  /** All that the same message led to. */
  group: readonly Task[];
}

/** An agent in one line: how it stands, what it is about, and what it does. Below, what it wants and, opened, what it brought. */
export function AgentRow({ task, tree, beside, group }: Props) {
  const id = useId();
  const [open, toggle] = useOpened(task.id);
  const { asks, used } = tree;
  const undecided = asks.filter((a) => a.kind === "call" && a.task === task).length;
  const title = titleOf(task);
  const role = task.type === "tool" ? assignment(task) : roleOf(task.name);
  const look = beside ? "bg-accent-wash" : asks.some(isForPeople) ? "bg-wait-wash/60" : "";
  return (
    <li data-task={task.id} data-status={task.status} className={`border-line not-first:border-t ${look}`}>
      <div className="relative flex min-h-7 items-center gap-2 px-2.5 text-[13px] hover:bg-hover pointer-coarse:min-h-10">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          aria-label={say.agent(roleOf(task.name), title)}
          onClick={toggle}
          className="absolute inset-0 focus-visible:outline-offset-[-2px]"
        />
        <StatusIcon status={statusOf(task, undecided)} size={14} />
        <span className="truncate font-medium">{title}</span>
        {role !== title && (
          <span className="max-w-40 shrink-0 truncate text-xs text-faint max-sm:hidden">{role}</span>
        )}
        <span className="min-w-0 flex-1 text-xs">
          <Doing task={task} tree={tree} />
        </span>
        {task.status === "failed" && <TryAgain task={task} />}
        <Figures tasks={[task]} used={used} brief />
        <span className="relative -mr-1.5 size-7 shrink-0 pointer-coarse:size-10">
          {task.subAgentId && (
            <Link
              href={beside ? chatPath(task.chatId) : agentPath(task.chatId, task.subAgentId)}
              aria-expanded={beside}
              aria-label={say.lookInside(roleOf(task.name), title)}
              title={say.lookInsideAgent}
              className="flex size-full items-center justify-center rounded-md text-faint hover:bg-hover hover:text-ink"
            >
              <PanelRight size={14} aria-hidden />
            </Link>
          )}
        </span>
      </div>
      <div id={id}>
        {open && (
          <Suspense>
            <AgentDetail task={task} tree={tree} group={group} />
          </Suspense>
        )}
      </div>
      <Suspense>
        {asks.map((ask) => (
          <AskView
            key={ask.id}
            ask={ask}
            named={ask.task !== task}
            elsewhere={beside && ask.task === task} // its agent is beside it, and has the field
          />
        ))}
      </Suspense>
      <Unanswered task={task} tree={tree} beside={beside} />
    </li>
  );
}

/** Has a task that failed go on from its last good step. */
function TryAgain({ task }: { task: Task }) {
  const { busy, error, run, clear } = useAction();
  return (
    <span className="relative shrink-0">
      {error && <Notice text={error} onClose={clear} />}
      <button
        type="button"
        disabled={busy}
        onClick={() => void run(() => controlTask(task, "retry"))}
        className="rounded-md px-1.5 py-0.5 text-xs font-medium text-accent hover:bg-hover disabled:opacity-50 pointer-coarse:min-h-9"
      >
        {words.chat.tryAgain}
      </button>
    </span>
  );
}

/** Answers that did not reach agents which ask nothing any more. */
function Unanswered({ task, tree: { helpers, asks }, beside }: Omit<Props, "group">) {
  const unsent = useOutbox();
  const asking = useMemo(() => new Set(asks.filter((a) => a.kind === "question").map((a) => a.task)), [asks]);
  const written = tasksWritten();
  const left = (beside ? helpers : [task, ...helpers]).filter(
    (t) => !asking.has(t) && (written.has(t.id) || unsent.some((m) => m.answers?.taskId === t.id)),
  );
  return left.map((t) => (
    <div key={t.id} className="px-2.5 pb-2.5 empty:hidden">
      <Answers task={t} />
    </div>
  ));
}
