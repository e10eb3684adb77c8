import { type RefObject, useEffect, useState } from "react";
import type { Task } from "../api/types";
import { Answers } from "../decisions/answers";
import { QuestionForm } from "../decisions/question";

/** Below the question that an agent asks: where to answer it. */
export function Answering({ task, inspector }: { task: Task; inspector: RefObject<HTMLElement | null> }) {
  const [field, setField] = useState<HTMLTextAreaElement | null>(null);
  // Whoever opened an agent wants to answer when it asks, now or in a moment: the field takes the focus
  // from the inspector, and from nothing else. On a phone that would open the keyboard.
  useEffect(() => {
    if (field && document.activeElement === inspector.current && matchMedia("(pointer: fine)").matches) {
      field.focus({ preventScroll: true });
    }
  }, [field, inspector]);
  return (
    <div className="space-y-2 border-t border-line p-3 empty:hidden">
      {task.status === "waiting" && <QuestionForm task={task} ref={setField} />}
      <Answers task={task} />
    </div>
  );
}
