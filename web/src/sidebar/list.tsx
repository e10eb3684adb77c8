import { ChevronRight, Folder, Pin } from "lucide-react";
import { useMemo, useRef } from "react";
import { Virtualizer } from "virtua";
import { useLocation } from "wouter";
import { isDefaultProject, listProjects } from "../api/find";
import { isUnread } from "../data/activity";
import { useDocuments } from "../data/hooks";
import { useMarks } from "../data/marks";
import { useActivity } from "../data/runstates";
import { parsePlace } from "../place";
import { Boundary } from "../ui/boundary";
import { useLoaded } from "../ui/loaded";
import { useNow } from "../ui/now";
import { words } from "../words";
import { language } from "../words/language";
import { ChatRow } from "./chatrow";
import { type GroupNames, rowsOf, type SidebarRow } from "./rows";
import { TaskRow } from "./taskrow";
import { useWalk } from "./walk";

const say = words.sidebar;

const names: GroupNames = {
  ...say.groups,
  month: (ms) => new Date(ms).toLocaleDateString(language, { month: "long", year: "numeric" }),
};

interface Props {
  folded: Readonly<Record<string, boolean>>;
  onFold: (key: string, folded: boolean) => void;
}

const noProjects = () => Promise.resolve([]);
const minute = 60_000;

/** All chats, in groups, with their agents. Only the rows in sight are in the page. */
export function ChatList({ folded, onFold }: Props) {
  const scroller = useRef<HTMLElement>(null);
  const chats = useDocuments("chats");
  const tasks = useDocuments("tasks");
  const marks = useMarks();
  const activity = useActivity(chats, tasks);
  const [path] = useLocation();
  const place = parsePlace(path);
  const now = useNow(true, minute); // the days go on
  const inProjects = chats.some((c) => c.projectId && !isDefaultProject(c.projectId));
  const listed = useLoaded(inProjects ? listProjects : noProjects).value;
  const projects = useMemo(() => new Map(listed?.map((p) => [p.id, p.name])), [listed]);
  const folders = useMemo(
    () => [...new Set([...marks.of.values()].flatMap((m) => m.folder || []))].sort(),
    [marks],
  );
  const today = new Date(now).toDateString();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the groups change at midnight, not every minute
  const rows = useMemo(
    () => rowsOf({ chats, tasks, marks, activity, projects, folded, current: place?.chatId, now }, names),
    [chats, tasks, marks, activity, projects, folded, place?.chatId, today],
  );
  const onKeyDown = useWalk(scroller);
  const draw = (row: SidebarRow) => {
    switch (row.kind) {
      case "group":
        return <Group row={row} onFold={() => onFold(row.key, !row.folded)} />;
      case "chat":
        return (
          <ChatRow
            chat={row.chat}
            kept={marks.of.get(row.chat.id)}
            activity={activity.get(row.chat.id)}
            unread={
              row.chat.id !== place?.chatId &&
              isUnread(row.chat.id, activity.get(row.chat.id)?.latest ?? 0, marks)
            }
            current={row.chat.id === place?.chatId}
            folded={row.folded}
            folders={folders}
            onFold={() => onFold(row.key, !row.folded)}
          />
        );
      case "task":
        return (
          <TaskRow
            task={row.task}
            depth={row.depth}
            current={place?.agentId !== undefined && row.task.subAgentId === place.agentId}
            folded={row.folded}
            onFold={() => onFold(row.key, !row.folded)}
          />
        );
    }
  };
  return (
    <nav
      ref={scroller}
      aria-label={say.chats}
      onKeyDown={onKeyDown}
      className="min-h-0 flex-1 overflow-y-auto px-2 pb-3"
    >
      {chats.length === 0 && <p className="px-3 py-2 text-sm text-faint">{say.none}</p>}
      <Virtualizer scrollRef={scroller} as="ul" item="li" itemSize={34} bufferSize={400}>
        {rows.map((row) => (
          <Boundary key={row.key} what={say.aChat}>
            {draw(row)}
          </Boundary>
        ))}
      </Virtualizer>
    </nav>
  );
}

function Group({ row, onFold }: { row: SidebarRow & { kind: "group" }; onFold: () => void }) {
  const Icon = { pin: Pin, folder: Folder, date: undefined }[row.icon];
  return (
    <button
      type="button"
      aria-expanded={!row.folded}
      onClick={onFold}
      className="group/head flex w-full items-center gap-1.5 rounded px-2 pt-3 pb-1 text-left text-xs font-medium text-faint hover:text-ink max-md:py-2.5"
    >
      {Icon && <Icon size={12} aria-hidden />}
      <span className="min-w-0 truncate">{row.name}</span>
      {row.folded && <span>{row.count}</span>}
      <ChevronRight
        size={12}
        aria-hidden
        className={`opacity-0 group-hover/head:opacity-100 ${row.folded ? "opacity-100" : "rotate-90"}`}
      />
    </button>
  );
}
