import { Trash2 } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { deleteChat } from "../api/calls";
import type { Chat, Task } from "../api/types";
import { useUndecided } from "../data/hooks";
import { agentPath, chatPath } from "../place";
import { headline, roleOf } from "../thread/format";
import { useAction } from "../ui/action";
import { IconButton } from "../ui/button";
import { Notice } from "../ui/notice";
import { StatusIcon, statusOf } from "../ui/status";

interface Props {
  chat: Chat;
  tasks: readonly Task[];
  current: boolean;
  agentId?: string;
}

const shownTasks = 6;

/** A chat with its latest tasks. */
export function ChatEntry({ chat, tasks, current, agentId }: Props) {
  const [asking, setAsking] = useState(false);
  const [, navigate] = useLocation();
  const { error, run, clear } = useAction();
  const remove = async () => {
    if ((await run(() => deleteChat(chat.id))) && current) {
      navigate("/new");
    }
  };
  const shown = current ? tasks : tasks.slice(-shownTasks);
  return (
    <li className="mb-0.5">
      <div className={`group/chat flex items-center rounded-lg ${current ? "bg-hover" : "hover:bg-hover"}`}>
        <Link
          href={chatPath(chat.id)}
          aria-current={current ? "page" : undefined}
          className={`min-w-0 flex-1 truncate rounded-lg px-3 py-1.5 text-sm ${current ? "font-medium" : ""}`}
        >
          {chat.title || "New chat"}
        </Link>
        <IconButton
          label={`Delete ${chat.title || "this chat"}`}
          onClick={() => setAsking(true)}
          className="size-7 opacity-0 group-hover/chat:opacity-100 focus-visible:opacity-100"
        >
          <Trash2 size={14} />
        </IconButton>
      </div>
      {asking && (
        <div className="flex items-center gap-2 px-3 py-1 text-sm">
          <span className="flex-1 text-soft">Delete it with all its agents?</span>
          <button type="button" onClick={remove} className="font-medium text-bad">
            Delete
          </button>
          <button type="button" onClick={() => setAsking(false)} className="text-soft">
            Keep
          </button>
        </div>
      )}
      {error && <Notice text={error} onClose={clear} />}
      {shown.length > 0 && (
        <ul className="my-0.5 ml-4 border-l border-line pl-1.5">
          {shown.map((task) => (
            <TaskEntry
              key={task.id}
              task={task}
              current={task.subAgentId === agentId && agentId !== undefined}
            />
          ))}
        </ul>
      )}
    </li>
  );
}

function TaskEntry({ task, current }: { task: Task; current: boolean }) {
  const waiting = useUndecided(task);
  const look = "flex items-center gap-2 rounded-md px-2 py-1 text-[13px]";
  const content = (
    <>
      <StatusIcon status={statusOf(task, waiting.length)} size={13} />
      <span className="truncate">{headline(task.instruction) || roleOf(task.name)}</span>
    </>
  );
  return (
    <li style={{ paddingLeft: `${(task.depth ?? 0) * 10}px` }}>
      {task.subAgentId ? (
        <Link
          href={agentPath(task.chatId, task.subAgentId)}
          aria-current={current ? "true" : undefined}
          className={`${look} ${current ? "bg-accent-wash text-accent" : "text-soft hover:bg-hover hover:text-ink"}`}
        >
          {content}
        </Link>
      ) : (
        <span className={`${look} text-soft`}>{content}</span>
      )}
    </li>
  );
}
