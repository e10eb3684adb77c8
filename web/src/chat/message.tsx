import { CircleAlert, Info } from "lucide-react";
import { Link } from "wouter";
import type { Message } from "../api/types";
import { useDocument } from "../data/hooks";
import { agentPath } from "../place";
import { clock, cost, duration, exactTime, roleOf, tokens } from "../thread/format";
import { CopyButton } from "../ui/copy";
import { Fold } from "../ui/fold";
import { Markdown } from "../ui/markdown";
import { RoleIcon } from "../ui/role";

export function MessageRow({ message }: { message: Message }) {
  if (message.role === "user") {
    return (
      <article aria-label="You" className="flex flex-col items-end">
        <div className="max-w-[85%] rounded-2xl rounded-br-md bg-accent-wash px-4 py-2">
          <Markdown text={message.content} />
        </div>
        <time className="mt-1 mr-1 text-xs text-faint" title={exactTime(message.createdAt)}>
          {clock(message.createdAt)}
        </time>
      </article>
    );
  }
  switch (message.type) {
    case "error":
      return (
        <article role="alert" className="flex gap-2.5 rounded-xl border border-bad/30 bg-bad-wash px-4 py-3">
          <CircleAlert size={18} className="mt-0.5 shrink-0 text-bad" aria-hidden />
          <Markdown text={message.content} />
        </article>
      );
    case "status":
      return (
        <article className="flex items-center gap-2 text-sm text-soft">
          <Info size={15} className="shrink-0" aria-hidden />
          <Markdown text={message.content} />
        </article>
      );
    case "summary":
      return (
        <Fold summary="Earlier parts of this conversation were summarised">
          <div className="rounded-lg bg-panel p-3 text-sm">
            <Markdown text={message.content} />
          </div>
        </Fold>
      );
    default:
      return <Answer message={message} />;
  }
}

function Answer({ message }: { message: Message }) {
  const { metadata } = message;
  const facts = metadata && [
    metadata.model,
    metadata.durationMs !== undefined && duration(metadata.durationMs),
    metadata.usage && `${tokens(metadata.usage)} tokens`,
    metadata.costMicros && cost(metadata.costMicros),
  ];
  return (
    <article aria-label="Nestor" className="group/answer">
      {message.taskId && <Source taskId={message.taskId} />}
      <Markdown text={message.content} />
      <div className="flex h-6 items-center gap-1 text-xs text-faint opacity-0 transition-opacity group-hover/answer:opacity-100 focus-within:opacity-100">
        <CopyButton text={message.content} label="Copy the answer" />
        <time title={exactTime(message.createdAt)}>{clock(message.createdAt)}</time>
        {facts && <span>· {facts.filter(Boolean).join(" · ")}</span>}
      </div>
    </article>
  );
}

/** Which agent a report is about. */
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
      <span className="truncate">
        {role}: {task.instruction}
      </span>
    </Link>
  );
}
