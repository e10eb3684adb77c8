import { useEffect, useRef } from "react";
import type { Task } from "../api/types";
import { Answers } from "../decisions/answers";
import { QuestionForm } from "../decisions/question";

/** Below the question that an agent asks: where to answer it. */
export function Answering({ task, focus }: { task: Task; focus: boolean }) {
  const field = useRef<HTMLTextAreaElement>(null);
  // Whoever opens an agent that asks wants to answer. On a phone that would open the keyboard. The
  // focus of somebody who writes elsewhere while an agent begins to ask stays where it is.
  const first = useRef(focus);
  useEffect(() => {
    if (first.current && matchMedia("(pointer: fine)").matches) {
      field.current?.focus({ preventScroll: true });
    }
  }, []);
  return (
    <div className="space-y-2 border-t border-line p-3 empty:hidden">
      {task.status === "waiting" && <QuestionForm task={task} ref={field} />}
      <Answers task={task} />
    </div>
  );
}
