import { Clock } from "lucide-react";
import { useState } from "react";
import type { Task } from "../api/types";
import { useOnline, useOutbox } from "../data/hooks";
import type { Unsent } from "../data/outbox";
import { answerName, answersWritten, loadWritten, saveWritten } from "../data/settings";
import { outbox } from "../data/store";
import { Button } from "../ui/button";
import { CopyButton } from "../ui/copy";
import { Notice } from "../ui/notice";
import { words } from "../words";
import { useQuestionId } from "./hooks";

const say = words.decisions;

/** What a person answered to a task's agent and the agent does not have: on its way, refused, or never sent. */
export function Answers({ task }: { task: Task }) {
  const unsent = useOutbox().filter((m) => m.answers?.taskId === task.id);
  const questionId = useQuestionId(task);
  const [, setDiscarded] = useState(0);
  const left = answersWritten(task.id).filter(
    (q) => task.status !== "waiting" || (questionId && q !== questionId),
  );
  if (unsent.length === 0 && left.length === 0) {
    return null;
  }
  return (
    <div className="space-y-2">
      {unsent.map((m) => (
        <UnsentAnswer key={m.id} unsent={m} />
      ))}
      {left.map((q) => {
        const name = answerName(task.id, q);
        const discard = () => {
          saveWritten(name, "");
          setDiscarded((n) => n + 1);
        };
        return <Kept key={q} why={say.left} text={loadWritten(name)} onDiscard={discard} />;
      })}
    </div>
  );
}

function UnsentAnswer({ unsent }: { unsent: Unsent }) {
  const online = useOnline();
  const { id, content, error, busy, late } = unsent;
  if (error) {
    return (
      <Kept
        why={say.notSent(error)}
        text={content}
        onRetry={late ? undefined : () => outbox.retry(id)}
        onDiscard={() => outbox.discard(id)}
      />
    );
  }
  return (
    <div className="text-sm">
      <p>
        <span className="font-medium">{say.yourAnswer} </span>
        <span className="break-words whitespace-pre-wrap">{content}</span>
      </p>
      <p role="status" className="mt-0.5 flex items-center gap-1 text-xs text-faint">
        <Clock size={12} aria-hidden />
        {busy ? say.busy(busy.why) : online === false ? say.sentLater : say.sending}
      </p>
    </div>
  );
}

interface KeptProps {
  why: string;
  text: string;
  onRetry?: () => void;
  onDiscard: () => void;
}

/** Words that reached nobody. They stay until the person says otherwise. */
function Kept({ why, text, onRetry, onDiscard }: KeptProps) {
  return (
    <div className="space-y-1.5">
      <Notice text={why} />
      <p className="border-l-2 border-line pl-3 text-sm break-words whitespace-pre-wrap">{text}</p>
      <div className="flex items-center gap-2">
        {onRetry && <Button onClick={onRetry}>{say.tryAgain}</Button>}
        <Button kind="quiet" onClick={onDiscard}>
          {say.discard}
        </Button>
        <CopyButton text={text} label={say.copyAnswer} />
      </div>
    </div>
  );
}
