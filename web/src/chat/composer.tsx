import { ArrowUp, LoaderCircle, Paperclip, Square } from "lucide-react";
import {
  type ClipboardEvent,
  type FormEvent,
  type KeyboardEvent,
  type Ref,
  useEffect,
  useRef,
  useState,
} from "react";
import type { Part, Task } from "../api/types";
import { useWritten } from "../data/hooks";
import { written } from "../data/written";
import { directionOf } from "../thread/verbatim";
import { IconButton } from "../ui/button";
import { words } from "../words";
import { Asker, answeredHere } from "./asker";
import type { Attaching } from "./attaching";
import { Attachments } from "./attachments";

const say = words.composer;

interface Props {
  ref: Ref<HTMLTextAreaElement>;
  chatId: string;
  tasks: readonly Task[];
  attached: Attaching;
  onSend: (content: string, parts?: readonly Part[]) => void;
  /** Stops what is under way. Missing if nothing is. */
  onStop?: () => void;
  /** It is being stopped already. */
  stopping: boolean;
}

/** Where people say something, as they write it. What is not sent yet outlasts the page. */
export function Composer({ ref, chatId, tasks, attached, onSend, onStop, stopping }: Props) {
  const { text } = useWritten(chatId);
  const picker = useRef<HTMLInputElement>(null);
  const empty = !text.trim() && attached.list.length === 0;
  const ready = attached.busy || Boolean(text.trim() || attached.parts.length);
  /** It was sent while files were on their way, and goes when they are there. Says how many had failed by then. */
  const [due, setDue] = useState<{ failures: number }>();
  const submit = (e?: FormEvent) => {
    e?.preventDefault();
    setDue(attached.busy ? { failures: attached.failures } : undefined);
    if (!ready || attached.busy) {
      return;
    }
    if (attached.parts.length) {
      const said: Part[] = text.trim() ? [{ type: "text", text }] : [];
      onSend(text, [...said, ...attached.parts]);
    } else {
      onSend(text);
    }
    attached.clear();
    written.clear(chatId);
  };
  useEffect(() => {
    if (due && attached.failures > due.failures) {
      setDue(undefined); // whoever wrote it sees why, and decides
    } else if (due && !attached.busy) {
      submit();
    }
  });
  const onPaste = (e: ClipboardEvent) => {
    if (e.clipboardData.files.length > 0) {
      e.preventDefault();
      attached.add(e.clipboardData.files);
    }
  };
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key === "Enter" && !e.shiftKey && !e.nativeEvent.isComposing) {
      e.preventDefault();
      submit();
    } else if (e.key === "Escape" && empty && onStop && !stopping) {
      e.preventDefault();
      onStop();
    }
  };
  const asker = answeredHere(tasks);
  return (
    <form onSubmit={submit} className="mx-auto w-full max-w-3xl px-4 pt-2 pb-4">
      <Asker id="asked" tasks={tasks} />
      <div
        className={`rounded-2xl border bg-raised p-2 shadow-sm focus-within:border-accent ${asker ? "border-wait" : "border-edge"}`}
      >
        <Attachments list={attached.list} onRemove={attached.remove} />
        <p role="status" className="px-1 text-xs text-soft">
          {due && say.due}
        </p>
        <div className="flex items-end gap-2">
          <input
            ref={picker}
            type="file"
            multiple
            aria-label={say.filesToAttach}
            className="hidden"
            onChange={(e) => {
              attached.add(e.target.files ?? []);
              e.target.value = ""; // so that the same file can be chosen again
            }}
          />
          <IconButton label={say.attach} onClick={() => picker.current?.click()} className="size-9">
            <Paperclip size={18} />
          </IconButton>
          <textarea
            ref={ref}
            aria-label={say.message}
            aria-describedby="asked"
            placeholder={asker ? say.answer : say.placeholder}
            dir={directionOf(text)}
            rows={1}
            value={text}
            onChange={(e) => {
              setDue(undefined);
              written.set(chatId, { text: e.target.value });
            }}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
            className="field-sizing-content max-h-48 min-h-9 min-w-0 flex-1 resize-none bg-transparent px-2 py-1.5 outline-none [tab-size:4] placeholder:text-faint"
          />
          {onStop && <StopButton onStop={onStop} stopping={stopping} />}
          {(!onStop || !empty) && (
            <button
              type="submit"
              aria-label={say.send}
              disabled={!ready}
              className="flex size-9 shrink-0 items-center justify-center rounded-xl bg-accent text-accent-ink transition-opacity disabled:opacity-30"
            >
              {due ? <LoaderCircle size={18} className="animate-spin" /> : <ArrowUp size={18} />}
            </button>
          )}
        </div>
      </div>
    </form>
  );
}

function StopButton({ onStop, stopping }: { onStop: () => void; stopping: boolean }) {
  return (
    <button
      type="button"
      aria-label={say.stop}
      title={say.stopHint}
      disabled={stopping}
      onClick={onStop}
      className="flex size-9 shrink-0 items-center justify-center rounded-xl border border-edge bg-raised text-ink transition-opacity hover:bg-hover disabled:opacity-50"
    >
      <Square size={14} fill="currentColor" className={stopping ? "animate-pulse" : ""} />
    </button>
  );
}
