import { ChevronRight, Ellipsis, FolderInput, Pencil, Pin, PinOff, Trash2 } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Link, useLocation } from "wouter";
import { deleteChat, renameChat } from "../api/calls";
import type { Chat, ChatMark } from "../api/types";
import type { Activity } from "../data/activity";
import { mark } from "../data/marks";
import { chatPath } from "../place";
import { useAction } from "../ui/action";
import { inputLook } from "../ui/field";
import { Menu } from "../ui/menu";
import { Notice } from "../ui/notice";
import { words } from "../words";
import { Marker } from "./marker";

const say = words.sidebar;

interface Props {
  chat: Chat;
  kept?: ChatMark;
  activity?: Activity;
  unread: boolean;
  current: boolean;
  /** Whether its agents are hidden; undefined if it has none. */
  folded?: boolean;
  folders: readonly string[];
  onFold: () => void;
}

type Doing = "" | "rename" | "move" | "delete";

/** A chat: where it leads, how it stands, and what can be done with it. */
export function ChatRow({ chat, kept, activity, unread, current, folded, folders, onFold }: Props) {
  const [doing, setDoing] = useState<Doing>("");
  const [, navigate] = useLocation();
  const { error, run, clear } = useAction();
  const title = chat.title || say.untitled;
  const remove = async () => {
    if ((await run(() => deleteChat(chat.id))) && current) {
      navigate("/new");
    }
  };
  const save = async (text: string) => {
    const work =
      doing === "rename" ? () => rename(chat, text, unread) : () => mark(chat.id, { folder: text });
    if (await run(work)) {
      setDoing("");
    }
  };
  return (
    <>
      {doing === "rename" || doing === "move" ? (
        <Line
          label={doing === "rename" ? say.newTitle : say.folder}
          hint={doing === "rename" ? say.newTitle : say.folderHint}
          text={(doing === "rename" ? chat.title : kept?.folder) ?? ""}
          choices={doing === "move" ? folders : []}
          onSave={save}
          onLeave={() => setDoing("")}
        />
      ) : (
        <div
          className={`group/chat flex items-center rounded-lg pl-1 ${current ? "bg-hover" : "hover:bg-hover"}`}
        >
          <FoldButton
            folded={folded}
            label={folded ? say.showAgents(title) : say.hideAgents(title)}
            onClick={onFold}
          />
          <Link
            href={chatPath(chat.id)}
            data-row
            tabIndex={-1}
            aria-current={current ? "page" : undefined}
            className={`min-w-0 flex-1 truncate rounded-lg py-1.5 text-sm max-md:py-2.5 ${current || unread ? "font-medium" : ""}`}
          >
            {title}
          </Link>
          <Marker state={activity?.state} unread={unread} />
          <Menu
            label={say.more(chat.title ?? "")}
            icon={<Ellipsis size={15} />}
            className="size-7 opacity-0 group-hover/chat:opacity-100 focus-visible:opacity-100 aria-expanded:opacity-100 max-md:size-9 [@media(hover:none)]:opacity-100"
            items={[
              kept?.pinned
                ? {
                    name: say.unpin,
                    icon: <PinOff size={14} />,
                    act: () => run(() => mark(chat.id, { pinned: false })),
                  }
                : {
                    name: say.pin,
                    icon: <Pin size={14} />,
                    act: () => run(() => mark(chat.id, { pinned: true })),
                  },
              { name: say.rename, icon: <Pencil size={14} />, act: () => setDoing("rename") },
              { name: say.move, icon: <FolderInput size={14} />, act: () => setDoing("move") },
              {
                name: say.delete(chat.title ?? ""),
                icon: <Trash2 size={14} />,
                danger: true,
                act: () => setDoing("delete"),
              },
            ]}
          />
        </div>
      )}
      {doing === "delete" && (
        <div className="flex items-center gap-2 px-3 py-1 text-sm">
          <span className="flex-1 text-soft">{say.deleteAsk}</span>
          <button type="button" onClick={remove} className="font-medium text-bad max-md:py-2">
            {say.deleteYes}
          </button>
          <button type="button" onClick={() => setDoing("")} className="text-soft max-md:py-2">
            {say.deleteNo}
          </button>
        </div>
      )}
      {error && <Notice text={error} onClose={clear} />}
    </>
  );
}

/** A new title is nothing to read: what was seen before stays seen. */
async function rename(chat: Chat, title: string, unread: boolean): Promise<void> {
  const { updatedAt } = await renameChat(chat.id, title);
  if (!unread) {
    await mark(chat.id, { seenAt: updatedAt });
  }
}

interface FoldProps {
  folded?: boolean;
  label: string;
  onClick: () => void;
}

/** Hides and shows what is below a row. It keeps its place where there is nothing. */
export function FoldButton({ folded, label, onClick }: FoldProps) {
  if (folded === undefined) {
    return <span className="w-5 shrink-0" />;
  }
  return (
    <button
      type="button"
      tabIndex={-1}
      data-fold
      aria-label={label}
      aria-expanded={!folded}
      onClick={onClick}
      className="flex h-7 w-5 shrink-0 items-center justify-center rounded text-faint hover:text-ink max-md:h-10 max-md:w-8"
    >
      <ChevronRight size={13} className={folded ? "" : "rotate-90"} aria-hidden />
    </button>
  );
}

interface LineProps {
  label: string;
  hint: string;
  text: string;
  choices: readonly string[];
  onSave: (text: string) => void;
  onLeave: () => void;
}

function Line({ label, hint, text, choices, onSave, onLeave }: LineProps) {
  const [value, setValue] = useState(text);
  const save = (e: FormEvent) => {
    e.preventDefault();
    onSave(value);
  };
  return (
    <form onSubmit={save} className="py-0.5">
      <input
        aria-label={label}
        placeholder={hint}
        value={value}
        list={choices.length > 0 ? "sidebar-folders" : undefined}
        onChange={(e) => setValue(e.target.value)}
        onFocus={(e) => e.target.select()}
        onKeyDown={(e) => {
          e.stopPropagation(); // it is written into
          if (e.key === "Escape") {
            onLeave();
          }
        }}
        onBlur={onLeave}
        className={inputLook}
        // biome-ignore lint/a11y/noAutofocus: it replaces the row that it is about
        autoFocus
      />
      <datalist id="sidebar-folders">
        {choices.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </form>
  );
}
