import { type KeyboardEvent, useId, useRef } from "react";
import { words } from "../words/documents";
import { indent, newLine, type } from "./typing";

const say = words.editor;

interface Props {
  content: string;
  onChange: (content: string) => void;
}

/** Where a document is written. Tab indents, and after Escape it leaves the text. */
export function Editor({ content, onChange }: Props) {
  const hint = useId();
  const leaving = useRef(false);
  const onKeyDown = (e: KeyboardEvent<HTMLTextAreaElement>) => {
    const area = e.currentTarget;
    const { selectionStart: start, selectionEnd: end } = area;
    if (e.nativeEvent.isComposing || e.ctrlKey || e.metaKey || e.altKey) {
      return;
    }
    const left = leaving.current;
    leaving.current = e.key === "Escape" || (left && e.key === "Shift");
    if (e.key === "Tab" && !left) {
      e.preventDefault();
      type(area, indent(area.value, start, end, e.shiftKey));
    } else if (e.key === "Enter" && !e.shiftKey) {
      const edit = newLine(area.value, start, end);
      if (edit) {
        e.preventDefault();
        type(area, edit);
      }
    }
  };
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <textarea
        aria-label={say.text}
        aria-describedby={hint}
        value={content}
        placeholder={say.placeholder}
        onChange={(e) => onChange(e.target.value)}
        onKeyDown={onKeyDown}
        className="min-h-40 w-full flex-1 resize-none bg-page px-6 py-4 font-mono text-sm leading-6 focus-visible:outline-offset-[-2px]"
      />
      <p id={hint} className="border-t border-line px-6 py-1.5 text-xs text-faint">
        {say.help}
      </p>
    </div>
  );
}
