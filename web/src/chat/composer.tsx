import { ArrowUp, Paperclip } from "lucide-react";
import {
  type ClipboardEvent,
  type DragEvent,
  type FormEvent,
  type KeyboardEvent,
  type Ref,
  useRef,
  useState,
} from "react";
import type { Part, Task } from "../api/types";
import { loadWritten, saveWritten } from "../data/settings";
import { roleOf } from "../thread/format";
import { IconButton } from "../ui/button";
import { useAttaching } from "./attaching";
import { Attachments } from "./attachments";

interface Props {
  ref: Ref<HTMLTextAreaElement>;
  chatId: string;
  tasks: readonly Task[];
  /** The files of a message that was taken back. */
  files: readonly Part[];
  onSend: (content: string, parts?: readonly Part[]) => void;
}

/** Where people say something. What is not sent yet outlasts the page. */
export function Composer({ ref, chatId, tasks, files, onSend }: Props) {
  const [text, setText] = useState(() => loadWritten(chatId));
  const change = (value: string) => {
    setText(value);
    saveWritten(chatId, value);
  };
  const attached = useAttaching(files);
  const [over, setOver] = useState(false); // something is dragged over it
  const picker = useRef<HTMLInputElement>(null);
  const ready = !attached.busy && Boolean(text.trim() || attached.parts.length);
  const submit = (e?: FormEvent) => {
    e?.preventDefault();
    if (!ready) {
      return;
    }
    const said = text.trim();
    if (attached.parts.length) {
      const words: Part[] = said ? [{ type: "text", text: said }] : [];
      onSend(said, [...words, ...attached.parts]);
    } else {
      onSend(said);
    }
    attached.clear();
    change("");
  };
  /** Takes the files of a paste or a drop, if there are any. */
  const take = (e: ClipboardEvent | DragEvent, data: DataTransfer) => {
    setOver(false);
    if (data.files.length > 0) {
      e.preventDefault();
      attached.add(data.files);
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
    <form
      onSubmit={submit}
      onDragOver={(e) => {
        if (e.dataTransfer.types.includes("Files")) {
          e.preventDefault();
          setOver(true);
        }
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(e) => take(e, e.dataTransfer)}
      className="mx-auto w-full max-w-3xl px-4 pt-2 pb-4"
    >
      {asker && (
        <p id="asked" className="mb-1.5 line-clamp-2 text-sm text-wait">
          <span className="font-medium">{roleOf(asker.name)} asks:</span> {asker.question}
          {waiting.length > 1 && ` (and ${waiting.length - 1} more)`}
        </p>
      )}
      <div
        className={`rounded-2xl border bg-raised p-2 shadow-sm focus-within:border-accent ${over ? "border-accent" : asker ? "border-wait" : "border-edge"}`}
      >
        <Attachments list={attached.list} onRemove={attached.remove} />
        <div className="flex items-end gap-2">
          <input
            ref={picker}
            type="file"
            multiple
            aria-label="Files to attach"
            className="hidden"
            onChange={(e) => {
              attached.add(e.target.files ?? []);
              e.target.value = ""; // so that the same file can be chosen again
            }}
          />
          <IconButton label="Attach files" onClick={() => picker.current?.click()} className="size-9">
            <Paperclip size={18} />
          </IconButton>
          <textarea
            ref={ref}
            aria-label="Message"
            aria-describedby={asker ? "asked" : undefined}
            placeholder={asker ? "Your answer" : "Ask for something"}
            rows={1}
            value={text}
            onChange={(e) => change(e.target.value)}
            onKeyDown={onKeyDown}
            onPaste={(e) => take(e, e.clipboardData)}
            className="field-sizing-content max-h-48 min-h-9 min-w-0 flex-1 resize-none bg-transparent px-2 py-1.5 outline-none placeholder:text-faint"
          />
          <button
            type="submit"
            aria-label="Send"
            disabled={!ready}
            className="flex size-9 shrink-0 items-center justify-center rounded-xl bg-accent text-accent-ink transition-opacity disabled:opacity-30"
          >
            <ArrowUp size={18} />
          </button>
        </div>
      </div>
    </form>
  );
}
