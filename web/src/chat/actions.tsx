import { Pencil, Quote, RotateCw } from "lucide-react";
import type { MouseEvent, ReactNode } from "react";
import type { Message } from "../api/types";
import { quoted } from "../thread/verbatim";
import { Button, IconButton } from "../ui/button";
import { CopyButton } from "../ui/copy";
import { words } from "../words";
import { useConversation } from "./conversation";
import { ForkButton } from "./fork";

const say = words.chat;

/** Things to do about a message: there when one points at it or comes by keyboard, and always on a touch screen. */
export function Actions({ children, className = "" }: { children: ReactNode; className?: string }) {
  return (
    <div
      className={`flex min-h-7 flex-wrap items-center gap-x-0.5 text-xs text-faint opacity-0 transition-opacity group-hover/row:opacity-100 focus-within:opacity-100 pointer-coarse:opacity-100 pointer-coarse:[&_button]:size-9 ${className}`}
    >
      {children}
    </div>
  );
}

/** Edits what a person said. */
export function EditButton({ onEdit }: { onEdit: () => void }) {
  return (
    <IconButton label={say.edit} onClick={onEdit} className="size-7">
      <Pencil size={14} />
    </IconButton>
  );
}

/** What one can do about any message: copy and quote what was written, and go on from there. */
export function CommonActions({ message, copy }: { message: Message; copy: string }) {
  return (
    <>
      <CopyButton text={message.content} label={copy} />
      <QuoteButton text={message.content} />
      <ForkButton at={message.id} />
    </>
  );
}

/** Quotes a message, or what is selected of it. */
function QuoteButton({ text }: { text: string }) {
  const { quote } = useConversation();
  const onClick = (e: MouseEvent) => {
    const row = e.currentTarget.closest("article");
    const selection = getSelection();
    const inside = row && selection?.anchorNode && row.contains(selection.anchorNode);
    quote(quoted((inside && selection.toString().trim()) || text));
  };
  return (
    // The selection stays when it is pressed.
    <IconButton
      label={say.quote}
      onPointerDown={(e) => e.preventDefault()}
      onClick={onClick}
      className="size-7"
    >
      <Quote size={14} />
    </IconButton>
  );
}

/**
 * Has a message answered once more, in a fork from before it: what was answered first, and
 * what agents did for it, stays where it is. Undefined if it answers nothing.
 */
function useAgain(message: Message): (() => void) | undefined {
  const { find, sayInstead } = useConversation();
  if (message.taskId || !answered(message).some(find)) {
    return undefined;
  }
  return () => {
    const asked = answered(message).flatMap((id) => find(id) ?? []);
    const first = asked[0];
    if (first) {
      sayInstead(
        first.id,
        asked.map(({ content, parts }) => ({ content, parts: parts?.length ? parts : undefined })),
      );
    }
  };
}

export function AgainButton({ message }: { message: Message }) {
  const again = useAgain(message);
  return (
    again && (
      <IconButton label={say.answerAgain} onClick={again} className="size-7">
        <RotateCw size={14} />
      </IconButton>
    )
  );
}

/** The same for an answer that failed: it is always there. */
export function TryAgainButton({ message }: { message: Message }) {
  const again = useAgain(message);
  return (
    again && (
      <Button title={say.answerAgain} onClick={again} className="shrink-0">
        {say.tryAgain}
      </Button>
    )
  );
}

/** The messages that one answers, oldest first. */
const answered = ({ answers, repliesTo, runId }: Message) => [
  ...(answers ?? []),
  ...(repliesTo ? [repliesTo] : runId ? [runId] : []),
];
