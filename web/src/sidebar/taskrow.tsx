import { Link } from "wouter";
import type { Task } from "../api/types";
import { useUndecided } from "../data/hooks";
import { agentPath } from "../place";
import { titleOf } from "../thread/tree";
import { StatusIcon, statusOf } from "../ui/status";
import { words } from "../words";
import { FoldButton } from "./chatrow";

const say = words.sidebar;

interface Props {
  task: Task;
  depth: number;
  current: boolean;
  /** Whether its helpers are hidden; undefined if it has none. */
  folded?: boolean;
  onFold: () => void;
}

const deepest = 8; // further in there would be no room for words

/** A task below the agent that created it. */
export function TaskRow({ task, depth, current, folded, onFold }: Props) {
  const waiting = useUndecided(task);
  const title = titleOf(task);
  const look = "flex min-w-0 flex-1 items-center gap-2 rounded-md px-1 py-1 text-[13px] max-md:py-2.5";
  const content = (
    <>
      <StatusIcon status={statusOf(task, waiting.length)} size={13} />
      <span className="truncate">{title}</span>
    </>
  );
  return (
    <div
      className="ml-4 flex items-center border-l border-line"
      style={{ paddingLeft: `${Math.min(depth, deepest) * 12}px` }}
    >
      <FoldButton
        folded={folded}
        label={folded ? say.showHelpers(title) : say.hideHelpers(title)}
        onClick={onFold}
      />
      {task.subAgentId ? (
        <Link
          href={agentPath(task.chatId, task.subAgentId)}
          data-row
          tabIndex={-1}
          title={title}
          aria-current={current ? "true" : undefined}
          className={`${look} ${current ? "bg-accent-wash text-accent" : "text-soft hover:bg-hover hover:text-ink"}`}
        >
          {content}
        </Link>
      ) : (
        <span className={`${look} text-soft`}>{content}</span>
      )}
    </div>
  );
}
