import { FileUp, Upload as UploadIcon, X } from "lucide-react";
import { type DragEvent, useEffect, useRef, useState } from "react";
import { explain } from "../api/http";
import { addText } from "../api/priorities";
import { useAction } from "../ui/action";
import { Button, IconButton } from "../ui/button";
import { Field, inputLook } from "../ui/field";
import { Notice } from "../ui/notice";
import { phrase } from "../words/phrase";
import { words } from "../words/priorities";
import { useReturnFocus } from "./returnfocus";
import { acceptedFiles, titleOf, upload } from "./upload";
import { percent } from "./words";

const say = words.drop;

interface Sending {
  key: number;
  name: string;
  /** How much of it is there, from 0 to 1. */
  share: number;
  error?: string;
}

let lastKey = 0;

/** Takes files that are dropped or chosen, and text that is pasted or written. */
export function DropZone({ onAdded }: { onAdded: () => Promise<void> }) {
  const [sending, setSending] = useState<Sending[]>([]);
  const [over, setOver] = useState(false);
  const [text, setText] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const writing = useRef<HTMLSpanElement>(null);
  useReturnFocus(text !== undefined, writing);
  const change = (key: number, what: Partial<Sending>) =>
    setSending((all) => all.map((s) => (s.key === key ? { ...s, ...what } : s)));
  const forget = (key: number) => setSending((all) => all.filter((s) => s.key !== key));

  const send = async (file: File) => {
    const key = ++lastKey;
    setSending((all) => [...all, { key, name: file.name, share: 0 }]);
    try {
      await upload(file, (share) => change(key, { share }));
      await onAdded();
      forget(key);
    } catch (e) {
      change(key, { error: explain(e) });
    }
  };
  const take = (files: Iterable<File>) => {
    for (const file of files) {
      void send(file);
    }
  };
  const takeRef = useRef(take);
  takeRef.current = take;

  useEffect(() => {
    const onPaste = (e: ClipboardEvent) => {
      if (e.target instanceof Element && e.target.closest("input, textarea, [contenteditable]")) {
        return;
      }
      const pasted = e.clipboardData?.getData("text/plain") ?? "";
      if (e.clipboardData?.files.length) {
        takeRef.current(e.clipboardData.files);
      } else if (pasted.trim()) {
        setText((now) => now ?? pasted);
      }
    };
    document.addEventListener("paste", onPaste);
    return () => document.removeEventListener("paste", onPaste);
  }, []);

  const onDrop = (e: DragEvent) => {
    e.preventDefault();
    setOver(false);
    take(e.dataTransfer.files);
  };
  const onDragOver = (e: DragEvent) => {
    if (e.dataTransfer.types.includes("Files")) {
      e.preventDefault();
      setOver(true);
    }
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside do the same */}
      <div
        data-drop-zone
        onDragOver={onDragOver}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
        className={`flex flex-wrap items-center gap-x-3 gap-y-2 rounded-xl border-2 border-dashed p-3 ${over ? "border-accent bg-accent-wash" : "border-line bg-panel"}`}
      >
        <FileUp size={20} className="shrink-0 text-soft" aria-hidden />
        <p className="min-w-28 flex-1 text-sm leading-snug text-soft">
          {say.drop}
          <span className="block text-xs whitespace-nowrap text-faint">{say.kinds}</span>
        </p>
        <div className="flex flex-wrap gap-2">
          <Button
            icon={<UploadIcon size={14} aria-hidden />}
            onClick={() => {
              input.current?.click();
            }}
          >
            {say.chooseFiles}
          </Button>
          <span ref={writing}>
            <Button onClick={() => setText("")}>{say.writeText}</Button>
          </span>
        </div>
        <input
          ref={input}
          type="file"
          multiple
          accept={acceptedFiles}
          aria-label={say.filesToAdd}
          tabIndex={-1}
          className="hidden"
          onChange={(e) => {
            take([...(e.target.files ?? [])]);
            e.target.value = "";
          }}
        />
      </div>
      {sending.length > 0 && (
        <ul aria-label={say.uploads} className="mt-2 space-y-1.5">
          {sending.map((s) => (
            <SendingRow key={s.key} sending={s} onClose={() => forget(s.key)} />
          ))}
        </ul>
      )}
      {text !== undefined && (
        <TextForm text={text} onAdded={onAdded} onClose={() => setText(undefined)} key={text} />
      )}
    </>
  );
}

function SendingRow({ sending: { name, share, error }, onClose }: { sending: Sending; onClose: () => void }) {
  if (error) {
    return (
      <li role="alert" className="flex items-start gap-2 rounded-lg bg-bad-wash px-3 py-2 text-sm text-bad">
        <span className="min-w-0 flex-1 break-words">
          {phrase(say.notAdded(error), { name: <b className="font-medium">{name}</b> })}
        </span>
        <IconButton label={say.dismiss(name)} onClick={onClose} className="-my-1 size-7">
          <X size={14} />
        </IconButton>
      </li>
    );
  }
  return (
    <li className="rounded-lg border border-line px-3 py-2 text-sm">
      <div className="flex gap-2">
        <span className="min-w-0 flex-1 truncate">{name}</span>
        <span className="text-soft">{share < 1 ? say.uploading(percent(share)) : say.reading}</span>
      </div>
      <progress
        aria-label={say.upload(name)}
        value={share}
        max={1}
        className="mt-1 h-1 w-full accent-accent"
      />
    </li>
  );
}

interface FormProps {
  text: string;
  onAdded: () => Promise<void>;
  onClose: () => void;
}

/** Text that was pasted is looked at before it is sent. */
function TextForm({ text, onAdded, onClose }: FormProps) {
  const [title, setTitle] = useState(text && titleOf(text));
  const [content, setContent] = useState(text);
  const { busy, error, run } = useAction();
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    area.current?.focus();
  }, []);
  const save = async () => {
    if (await run(() => addText(title.trim() || titleOf(content), content))) {
      await onAdded();
      onClose();
    }
  };
  return (
    <div className="mt-3 space-y-2">
      <Field label={say.title} placeholder={titleOf(content)} value={title} onChange={setTitle} />
      <textarea
        ref={area}
        aria-label={say.text}
        placeholder={say.placeholder}
        value={content}
        onChange={(e) => setContent(e.target.value)}
        onKeyDown={(e) => {
          if (e.key === "Escape") {
            onClose();
          }
        }}
        rows={6}
        className={inputLook}
      />
      {error && <Notice text={error} />}
      <div className="flex gap-2">
        <Button kind="primary" disabled={busy || !content.trim()} onClick={save}>
          {busy ? say.adding : say.add}
        </Button>
        <Button onClick={onClose}>{say.cancel}</Button>
      </div>
    </div>
  );
}
