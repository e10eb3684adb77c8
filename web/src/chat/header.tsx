import { Square } from "lucide-react";
import { type FormEvent, useState } from "react";
import { renameChat, stopChat } from "../api/calls";
import type { Chat, Task } from "../api/types";
import type { Draft } from "../data/drafts";
import { cost, tokens } from "../thread/format";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { inputLook } from "../ui/field";
import { Notice } from "../ui/notice";
import { ModelChoice } from "./model";
import { TalkMenu } from "./participant";

interface Props {
  chatId: string;
  chat?: Chat;
  tasks: readonly Task[];
  drafts: readonly Draft[];
  /** An answer is being prepared. */
  thinking: boolean;
}

export function ChatHeader({ chatId, chat, tasks, drafts, thinking }: Props) {
  const { busy, error, run, clear } = useAction();
  const running =
    thinking || drafts.length > 0 || tasks.some((t) => t.status === "running" || t.status === "pending");
  return (
    <header className="border-b border-line px-4 py-2">
      <div className="flex min-h-9 flex-wrap items-center gap-x-3">
        <Title key={chat?.title} chat={chat} />
        {chat?.usage && (
          <span
            className="text-xs whitespace-nowrap text-faint max-sm:hidden"
            title="Used by this chat and its agents"
          >
            {tokens(chat.usage)} tokens{chat.costMicros ? ` · ${cost(chat.costMicros)}` : ""}
          </span>
        )}
        {chat && <TalkMenu key={chat.id} chat={chat} />}
        {chat && !chat.participant?.startsWith("model:") && <ModelChoice chat={chat} />}
        {running && (
          <Button
            kind="danger"
            icon={<Square size={13} />}
            disabled={busy}
            onClick={() => run(() => stopChat(chatId))}
          >
            Stop
          </Button>
        )}
      </div>
      {error && <Notice text={error} onClose={clear} />}
    </header>
  );
}

function Title({ chat }: { chat?: Chat }) {
  const [editing, setEditing] = useState(false);
  const [title, setTitle] = useState(chat?.title ?? "");
  const { error, run } = useAction();
  const save = async (e: FormEvent) => {
    e.preventDefault();
    if (chat && (await run(() => renameChat(chat.id, title)))) {
      setEditing(false);
    }
  };
  if (!editing) {
    return (
      <h1 className="min-w-0 flex-1 truncate text-[15px] font-semibold">
        <button
          type="button"
          title="Rename"
          onClick={() => setEditing(true)}
          className="max-w-full truncate rounded"
        >
          {chat?.title || "New chat"}
        </button>
      </h1>
    );
  }
  return (
    <form onSubmit={save} className="min-w-0 flex-1">
      <input
        aria-label="Title of the chat"
        value={title}
        onChange={(e) => setTitle(e.target.value)}
        onKeyDown={(e) => e.key === "Escape" && setEditing(false)}
        onBlur={() => error || setEditing(false)} // what was refused stays, with the reason
        className={inputLook}
        // biome-ignore lint/a11y/noAutofocus: it replaces the button that was pressed
        autoFocus
      />
      {error && <Notice text={error} />}
    </form>
  );
}
