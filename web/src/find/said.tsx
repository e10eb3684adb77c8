import { MessageSquareText } from "lucide-react";
import { useEffect, useState } from "react";
import { search } from "../api/find";
import { explain } from "../api/http";
import type { Find } from "../api/types";
import { agentPath, chatPath, messagePath } from "../place";
import { clock, day, unmarked } from "../thread/format";
import { words } from "../words";
import type { Entry } from "./entries";

const say = words.find;

interface Said {
  typed: string;
  finds: readonly Find[];
  next: string;
  searchedTo: number;
  error: string;
}

const none: Said = { typed: "", finds: [], next: "", searchedTo: 0, error: "" };
const pauseMs = 180;
const least = 2; // characters

/** What was said that has the words somebody typed: asked for when they pause, and further back if they want. */
export function useSaid(typed: string) {
  const words = typed.trim();
  const wanted = words.length >= least ? words : "";
  const [said, setSaid] = useState<Said>(none);
  const [searching, setSearching] = useState(false);
  const ask = async (cursor: string, before: readonly Find[], isWanted: () => boolean) => {
    setSearching(true);
    const answer = await search(wanted, cursor).then(
      ({ items, next = "", searchedTo = 0 }) => ({
        finds: [...before, ...(items ?? [])],
        next,
        searchedTo,
        error: "",
      }),
      (e: unknown) => ({ finds: before, next: "", searchedTo: 0, error: explain(e) }),
    );
    if (isWanted()) {
      setSaid({ typed: wanted, ...answer });
      setSearching(false);
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is asked depends on the words alone
  useEffect(() => {
    let isWanted = true;
    const timer = wanted ? setTimeout(() => void ask("", [], () => isWanted), pauseMs) : undefined;
    setSearching(wanted !== "");
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [wanted]);
  const current = said.typed === wanted ? said : none;
  return {
    ...current,
    wanted,
    searching,
    further: () => void ask(current.next, current.finds, () => true),
  };
}

/** What was found as something to go to. */
export function saidEntry(find: Find): Entry {
  return {
    key: `said/${find.path}/${find.field}`,
    group: say.groups.said,
    text: "",
    icon: <MessageSquareText size={15} aria-hidden className="mt-1 shrink-0 self-start text-faint" />,
    to: placeOf(find),
    name: (
      <span className="block min-w-0">
        <span className="flex gap-2 text-xs text-faint">
          <span className="min-w-0 truncate">{find.chatTitle || words.sidebar.untitled}</span>
          <span className="shrink-0">
            {speaker(find)} · {day(find.createdAt)} {clock(find.createdAt)}
          </span>
        </span>
        <span className="line-clamp-2 break-words whitespace-normal">
          {(find.snippet ?? []).map((piece, i) =>
            piece.found ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: pieces never move
              <mark key={i} className="rounded-sm bg-wait-wash text-wait">
                {piece.text}
              </mark>
            ) : find.role === "user" ? (
              piece.text
            ) : (
              unmarked(piece.text)
            ),
          )}
        </span>
      </span>
    ),
  };
}

function placeOf({ kind, chatId, subAgentId, id }: Find): string {
  if (kind === "task" && subAgentId) {
    return agentPath(chatId, subAgentId);
  }
  return kind === "message" ? messagePath(chatId, id) : chatPath(chatId);
}

function speaker({ kind, role, subAgentId }: Find): string {
  if (kind !== "message") {
    return kind === "task" ? say.by.task : say.by.title;
  }
  return role === "user" ? say.by.user : subAgentId ? say.by.agent : say.by.nestor;
}
