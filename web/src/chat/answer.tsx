import { Square } from "lucide-react";
import { Link } from "wouter";
import type { Message } from "../api/types";
import { useDocument } from "../data/hooks";
import { agentPath } from "../place";
import { RunChip } from "../runs/chip";
import { clock, cost, duration, exactTime, roleOf, tokens } from "../thread/format";
import { titleOf } from "../thread/tree";
import { Markdown } from "../ui/markdown";
import { RoleIcon } from "../ui/role";
import { words } from "../words";
import { Actions, AgainButton, CommonActions } from "./actions";

const say = words.chat;

interface Props {
  text: string;
  /** The agent's task that it reports about. */
  taskId?: string;
  /** Missing while it is being written. Nothing moves, and the focus stays, when it comes. */
  message?: Message;
  /** A person stopped it. */
  stopped?: boolean;
  /** It broke off, and nothing is said in its place yet. */
  cut?: boolean;
}

/** What the orchestrator says. */
export function Answer({ text, taskId, message, stopped, cut }: Props) {
  return (
    <article
      aria-label={message || cut ? say.nestor : say.writing}
      aria-busy={!message && !cut}
      className="group/row"
    >
      {taskId && <Source taskId={taskId} />}
      <Markdown text={text} live={!message && !cut} />
      {cut && <Half why={say.brokenOff} />}
      {message?.metadata?.finishReason === "interrupted" && (
        <Half why={stopped ? say.stopped : say.interrupted} />
      )}
      <Actions className="-mb-3 pointer-coarse:mb-0">{message && <Facts message={message} />}</Actions>
    </article>
  );
}

/** Why the answer is no more than its beginning. */
const Half = ({ why }: { why: string }) => (
  <p className="mt-1 flex items-center gap-1.5 text-xs text-faint">
    <Square size={10} aria-hidden /> {why}
  </p>
);

function Facts({ message }: { message: Message }) {
  const { createdAt, metadata } = message;
  const facts = metadata && [
    metadata.model,
    metadata.durationMs !== undefined && duration(metadata.durationMs),
    metadata.usage && say.tokens(tokens(metadata.usage)),
    metadata.costMicros && cost(metadata.costMicros),
  ];
  return (
    <>
      <CommonActions message={message} copy={say.copyAnswer} />
      <AgainButton message={message} />
      <span className="ml-1">
        <time title={exactTime(createdAt)}>{clock(createdAt)}</time>
        {facts && ` · ${facts.filter(Boolean).join(" · ")}`}
      </span>
      <RunChip chatId={message.chatId} runId={message.runId} />
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
      <span className="truncate">{task.standing ? role : `${role}: ${titleOf(task)}`}</span>
    </Link>
  );
}
