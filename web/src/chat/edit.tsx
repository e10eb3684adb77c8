import { type KeyboardEvent, useState } from "react";
import type { Message } from "../api/types";
import { loadWritten, saveWritten } from "../data/settings";
import { textOf } from "../data/written";
import { directionOf } from "../thread/verbatim";
import { Button } from "../ui/button";
import { words } from "../words";
import { useConversation, type Words } from "./conversation";

const say = words.chat;

/** Under which name the new text of a message is kept: a row that scrolls out of sight loses nothing. */
const editName = (messageId: string) => `edit/${messageId}`;

/** Whether a message is being edited, and what the new text is at first. */
export function useEditing(message: Message) {
  const [editing, setEditing] = useState(() => loadWritten(editName(message.id)) !== "");
  return {
    editing,
    begin: () => {
      beginEdit(message.id, sourceOf(message));
      setEditing(true);
    },
    end: () => {
      saveWritten(editName(message.id), "");
      setEditing(false);
    },
  };
}

/** Has a message shown as being edited, with this text. */
export const beginEdit = (messageId: string, text: string) => saveWritten(editName(messageId), text);

/** The text of a message as it was written. */
export const sourceOf = ({ content, parts }: Message) => (parts?.length ? textOf(parts) : content);

/** What a message says with another text. Its files stay. */
function withText({ parts }: Message, text: string): Words {
  const files = parts?.filter((p) => p.fileId) ?? [];
  return {
    content: text,
    parts: files.length ? [...(text ? [{ type: "text" as const, text }] : []), ...files] : undefined,
  };
}

/** Where a message is written anew. It is sent in a fork, so what it was stays. */
export function Edit({ message, onEnd }: { message: Message; onEnd: () => void }) {
  const { sayInstead } = useConversation();
  const [text, setText] = useState(() => loadWritten(editName(message.id)));
  const said = withText(message, text);
  const ready = Boolean(text.trim() || said.parts);
  const send = () => {
    if (ready) {
      onEnd();
      sayInstead(message.id, [said]);
    }
  };
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key === "Escape") {
      e.stopPropagation();
      onEnd();
    } else if (e.key === "Enter" && !e.shiftKey && !e.nativeEvent.isComposing) {
      e.preventDefault();
      send();
    }
  };
  return (
    <div className="w-full rounded-2xl border border-accent bg-raised p-2 shadow-sm">
      <textarea
        aria-label={say.editMessage}
        dir={directionOf(text)}
        value={text}
        onChange={(e) => {
          setText(e.target.value);
          beginEdit(message.id, e.target.value);
        }}
        onKeyDown={onKeyDown}
        className="field-sizing-content max-h-96 min-h-9 w-full resize-none bg-transparent px-2 py-1.5 outline-none"
        // biome-ignore lint/a11y/noAutofocus: it replaces the text whose button was pressed
        autoFocus
      />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p className="min-w-0 flex-1 px-2 text-xs text-faint">{say.editHint}</p>
        <Button kind="quiet" onClick={onEnd}>
          {say.cancel}
        </Button>
        <Button kind="primary" disabled={!ready} onClick={send}>
          {say.send}
        </Button>
      </div>
    </div>
  );
}
