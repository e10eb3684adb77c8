import { CornerDownLeft } from "lucide-react";
import { type FormEvent, type KeyboardEvent, type Ref, useState } from "react";
import type { Task } from "../api/types";
import { useOutbox } from "../data/hooks";
import { newId } from "../data/ids";
import { answerName, loadWritten, saveWritten } from "../data/settings";
import { outbox } from "../data/store";
import { roleOf } from "../thread/format";
import { titleOf } from "../thread/tree";
import { Button } from "../ui/button";
import { inputLook } from "../ui/field";
import { words } from "../words";
import { useQuestionId } from "./hooks";

const say = words.decisions;

interface Props {
  task: Task;
  ref?: Ref<HTMLTextAreaElement>;
}

/** Where a person answers one agent. What is being written outlasts the page, and goes to this agent alone. */
export function QuestionForm({ task, ref }: Props) {
  const questionId = useQuestionId(task);
  const sent = useOutbox().some((m) => m.answers?.questionId === questionId && !m.error);
  // Until the agent goes on, what was answered is shown in place of this; see Answers.
  return questionId && !sent ? <Form key={questionId} task={task} questionId={questionId} ref={ref} /> : null;
}

function Form({ task, questionId, ref }: Props & { questionId: string }) {
  const name = answerName(task.id, questionId);
  const [text, setText] = useState(() => loadWritten(name));
  const change = (value: string) => {
    setText(value);
    saveWritten(name, value);
  };
  const answer = (content: string) => {
    change("");
    outbox.add({
      id: newId(),
      chatId: task.chatId,
      content,
      createdAt: Date.now(),
      answers: { taskId: task.id, questionId },
    });
  };
  const submit = (e: FormEvent) => {
    e.preventDefault();
    if (text.trim()) {
      answer(text.trimEnd());
    }
  };
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key === "Enter" && !e.shiftKey && !e.nativeEvent.isComposing) {
      submit(e);
    }
  };
  const who = say.agent(roleOf(task.name), titleOf(task));
  return (
    <form onSubmit={submit} className="space-y-2">
      {task.choices && (
        <fieldset className="flex flex-wrap gap-2">
          <legend className="sr-only">{say.choices}</legend>
          {task.choices.map((choice) => (
            <Button key={choice} onClick={() => answer(choice)} className="max-w-full whitespace-normal">
              {choice}
            </Button>
          ))}
        </fieldset>
      )}
      <div className="flex items-end gap-2">
        <textarea
          ref={ref}
          aria-label={say.answerTo(who)}
          placeholder={say.answerPlaceholder}
          rows={1}
          value={text}
          onChange={(e) => change(e.target.value)}
          onKeyDown={onKeyDown}
          className={`${inputLook} field-sizing-content max-h-40 min-h-8 flex-1 resize-none`}
        />
        <Button type="submit" kind="primary" icon={<CornerDownLeft size={14} />} disabled={!text.trim()}>
          {say.reply}
        </Button>
      </div>
    </form>
  );
}
