import { Info } from "lucide-react";
import { useEffect, useSyncExternalStore } from "react";
import type { Message } from "../api/types";
import type { Draft } from "../data/drafts";
import { useDocument } from "../data/hooks";
import { live, readCalls } from "../data/store";
import { isUndecided } from "../thread/steps";
import { words } from "../words";
import { Answer, Source } from "./answer";
import { MessageRow } from "./message";

const say = words.decisions;

interface Props {
  message: Message;
  taskId: string;
}

/** A question of an agent, or the answer to one. What is still open stands in the agent's block, and not here as well. */
export function Asked({ message, taskId }: Props) {
  const task = useDocument("tasks", taskId);
  if (message.role === "user") {
    return (
      <>
        <div className="flex justify-end">
          <Source taskId={taskId} />
        </div>
        <MessageRow message={message} />
      </>
    );
  }
  if (message.type === "status") {
    return <Decided message={message} taskId={taskId} />;
  }
  if (task?.status === "waiting" && task.questionId === message.questionId) {
    return null;
  }
  return <Answer text={message.content} taskId={taskId} message={message} />;
}

/** What the orchestrator is saying. How it words a question for an agent is not shown beside the question. */
export function AnswerDraft({ draft }: { draft: Draft }) {
  const task = useDocument("tasks", draft.taskId);
  return task?.status === "waiting" && !task.standing ? null : (
    <Answer text={draft.text || draft.cut || ""} taskId={draft.taskId} cut={!draft.text} />
  );
}

const subscribeLive = (fn: () => void) => live.subscribe(fn);

/** What people decided about a call that needed approval. */
function Decided({ message: { chatId, content, questionId }, taskId }: Props) {
  const call = useDocument("sub_agent_tool_calls", questionId);
  const agentId = useDocument("tasks", taskId)?.subAgentId;
  const begun = useSyncExternalStore(subscribeLive, () => live.begun);
  useEffect(() => {
    if (agentId) {
      readCalls(chatId, agentId, begun);
    }
  }, [chatId, agentId, begun]);
  if (call && isUndecided(call)) {
    return null;
  }
  const last = call?.decisions?.at(-1);
  const outcome = last ? (say.decided[last.action] ?? last.action) : say.undecided;
  const what = last?.args === undefined ? outcome : `${outcome}, ${say.withOtherArguments}`;
  return (
    <article className="text-sm text-soft">
      <Source taskId={taskId} />
      <p className="flex gap-2">
        <Info size={15} className="mt-1 shrink-0" aria-hidden />
        {call ? (
          <span className="min-w-0 break-words">
            <span className="font-mono text-[13px] font-medium text-ink">{call.toolName}</span>{" "}
            {last?.reason ? say.because(what, last.reason) : what}
          </span>
        ) : (
          <span className="min-w-0 break-words">{content}</span>
        )}
      </p>
    </article>
  );
}
