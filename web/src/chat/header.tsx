import { Search } from "lucide-react";
import { type FormEvent, useState } from "react";
import { renameChat } from "../api/calls";
import type { Chat } from "../api/types";
import { openBar } from "../find/open";
import { ExportMenu } from "../runs/export";
import { cost, tokens } from "../thread/format";
import { useAction } from "../ui/action";
import { IconButton } from "../ui/button";
import { MenuButton } from "../ui/drawer";
import { inputLook } from "../ui/field";
import { Notice } from "../ui/notice";
import { words } from "../words";
import { TalkMenu } from "./participant";

const say = words.chat;

export function ChatHeader({ chat }: { chat?: Chat }) {
  return (
    <header className="@container border-b border-line px-4 py-2">
      <div className="flex min-h-9 flex-wrap items-center gap-x-3 @max-xl:gap-x-2">
        <MenuButton className="-ml-2" />
        <Title key={chat?.title} chat={chat} />
        {chat?.usage && (
          <span className="text-xs whitespace-nowrap text-faint @max-3xl:hidden" title={say.usedBy}>
            {say.tokens(tokens(chat.usage))}
            {chat.costMicros ? ` · ${cost(chat.costMicros)}` : ""}
          </span>
        )}
        {chat && <TalkMenu key={chat.id} chat={chat} />}
        {chat && <ExportMenu chatId={chat.id} />}
        <IconButton label={words.find.findInChat} onClick={openBar}>
          <Search size={15} />
        </IconButton>
      </div>
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
      <h1 className="min-w-24 flex-1 truncate text-[15px] font-semibold">
        <button
          type="button"
          title={say.rename}
          onClick={() => setEditing(true)}
          className="max-w-full truncate rounded"
        >
          {chat?.title || say.newChat}
        </button>
      </h1>
    );
  }
  return (
    <form onSubmit={save} className="min-w-0 flex-1">
      <input
        aria-label={say.titleOfChat}
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
