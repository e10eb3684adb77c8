import { Link } from "wouter";
import type { Message } from "../api/types";
import { useDocument } from "../data/hooks";
import { agentPath } from "../place";
import { clock, cost, duration, exactTime, headline, roleOf, tokens } from "../thread/format";
import { closed } from "../thread/unfinished";
import { CopyButton } from "../ui/copy";
import { Markdown } from "../ui/markdown";
import { RoleIcon } from "../ui/role";
import { ForkButton } from "./fork";

interface Props {
  text: string;
  /** The agent's task that it reports about. */
  taskId?: string;
  /** Missing while it is being written. Nothing moves, and the focus stays, when it comes. */
  message?: Message;
}

/** What the orchestrator says. */
export function Answer({ text, taskId, message }: Props) {
  return (
    <article
      aria-label={message ? "Nestor" : "Nestor is writing"}
      aria-busy={!message}
      className="group/answer"
    >
      {taskId && <Source taskId={taskId} />}
      <Markdown text={message ? text : closed(text)} />
      {message?.metadata?.finishReason === "interrupted" && <p className="text-xs text-faint">Interrupted</p>}
      <div className="-mb-3 flex h-6 items-center gap-1 text-xs text-faint opacity-0 transition-opacity group-hover/answer:opacity-100 focus-within:opacity-100">
        {message && <Facts message={message} />}
      </div>
    </article>
  );
}

function Facts({ message: { id, content, createdAt, metadata } }: { message: Message }) {
  const facts = metadata && [
    metadata.model,
    metadata.durationMs !== undefined && duration(metadata.durationMs),
    metadata.usage && `${tokens(metadata.usage)} tokens`,
    metadata.costMicros && cost(metadata.costMicros),
  ];
  return (
    <>
      <CopyButton text={content} label="Copy the answer" />
      <ForkButton at={id} />
      <time title={exactTime(createdAt)}>{clock(createdAt)}</time>
      {facts && <span>· {facts.filter(Boolean).join(" · ")}</span>}
    </>
  );
}

/** Which agent something is about. */
export function Source({ taskId }: { taskId: string }) {
  const task = useDocument("tasks", taskId);
  if (!task?.subAgentId) {
    return null;
  }
  const role = roleOf(task.name);
  return (
    <Link
      href={agentPath(task.chatId, task.subAgentId)}
      className="mb-1.5 inline-flex max-w-full items-center gap-1.5 rounded-full bg-panel px-2.5 py-0.5 text-xs text-soft hover:bg-hover hover:text-ink"
    >
      <RoleIcon role={role} size={12} />
      <span className="truncate">{task.standing ? role : `${role}: ${headline(task.instruction)}`}</span>
    </Link>
  );
}
