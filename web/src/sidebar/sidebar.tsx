import { Plus } from "lucide-react";
import { useMemo } from "react";
import { Link, useLocation } from "wouter";
import type { Task } from "../api/types";
import { useDocuments } from "../data/hooks";
import { parsePlace } from "../place";
import { Boundary } from "../ui/boundary";
import { Account } from "./account";
import { ChatEntry } from "./entry";
import { ThemeButton } from "./theme";

export function Sidebar() {
  const chats = useDocuments("chats");
  const tasks = useDocuments("tasks");
  const [path] = useLocation();
  const place = parsePlace(path);
  const byChat = useMemo(() => Map.groupBy(tasks, (t: Task) => t.chatId), [tasks]);
  const latest = useMemo(
    () => [...chats].sort((a, b) => b.updatedAt - a.updatedAt || b.createdSeq - a.createdSeq),
    [chats],
  );
  return (
    <aside aria-label="Chats" className="flex h-full flex-col border-r border-line bg-panel">
      <div className="flex items-center gap-2 px-4 pt-4 pb-3">
        <img src="/favicon.svg" alt="" className="size-6" />
        <span className="flex-1 font-semibold tracking-tight">Nestor</span>
        <ThemeButton />
      </div>
      <div className="px-3 pb-2">
        <Link
          href="/new"
          className="flex items-center gap-2 rounded-lg border border-line bg-raised px-3 py-1.5 text-sm font-medium hover:bg-hover"
        >
          <Plus size={16} aria-hidden /> New chat
        </Link>
      </div>
      <nav aria-label="Chats" className="min-h-0 flex-1 overflow-y-auto px-2 pb-3">
        {latest.length === 0 && <p className="px-3 py-2 text-sm text-faint">Your chats will be here.</p>}
        <ul>
          {latest.map((chat) => (
            <Boundary key={chat.id} what="A chat">
              <ChatEntry
                chat={chat}
                tasks={byChat.get(chat.id) ?? []}
                current={place?.chatId === chat.id}
                agentId={place?.agentId}
              />
            </Boundary>
          ))}
        </ul>
      </nav>
      <Boundary what="Your account">
        <Account />
      </Boundary>
    </aside>
  );
}
