import { ArrowUp } from "lucide-react";
import { type FormEvent, type KeyboardEvent, type Ref, useState } from "react";
import type { Task } from "../api/types";
import { loadWritten, saveWritten } from "../data/settings";
import { roleOf } from "../thread/format";

interface Props {
  ref: Ref<HTMLTextAreaElement>;
  chatId: string;
  tasks: readonly Task[];
  onSend: (content: string) => void;
}

/** Where people say something. What is not sent yet outlasts the page. */
export function Composer({ ref, chatId, tasks, onSend }: Props) {
  const [text, setText] = useState(() => loadWritten(chatId));
  const change = (value: string) => {
    setText(value);
    saveWritten(chatId, value);
  };
  const submit = (e?: FormEvent) => {
    e?.preventDefault();
    if (text.trim()) {
      onSend(text.trim());
      change("");
    }
  };
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key === "Enter" && !e.shiftKey && !e.nativeEvent.isComposing) {
      e.preventDefault();
      submit();
    }
  };
  const waiting = tasks.filter((t) => t.status === "waiting");
  const asker = waiting.at(-1);
  return (
    <form onSubmit={submit} className="mx-auto w-full max-w-3xl px-4 pt-2 pb-4">
      {asker && (
        <p id="asked" className="mb-1.5 line-clamp-2 text-sm text-wait">
          <span className="font-medium">{roleOf(asker.name)} asks:</span> {asker.question}
          {waiting.length > 1 && ` (and ${waiting.length - 1} more)`}
        </p>
      )}
      <div
        className={`flex items-end gap-2 rounded-2xl border bg-raised p-2 shadow-sm focus-within:border-accent ${asker ? "border-wait" : "border-edge"}`}
      >
        <textarea
          ref={ref}
          aria-label="Message"
          aria-describedby={asker ? "asked" : undefined}
          placeholder={asker ? "Your answer" : "Ask for something"}
          rows={1}
          value={text}
          onChange={(e) => change(e.target.value)}
          onKeyDown={onKeyDown}
          className="field-sizing-content max-h-48 min-h-9 min-w-0 flex-1 resize-none bg-transparent px-2 py-1.5 outline-none placeholder:text-faint"
        />
        <button
          type="submit"
          aria-label="Send"
          disabled={!text.trim()}
          className="flex size-9 shrink-0 items-center justify-center rounded-xl bg-accent text-accent-ink transition-opacity disabled:opacity-30"
        >
          <ArrowUp size={18} />
        </button>
      </div>
    </form>
  );
}
