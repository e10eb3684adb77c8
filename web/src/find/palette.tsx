import { Search } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import { useDocuments } from "../data/hooks";
import { useActivity } from "../data/runstates";
import { parsePlace } from "../place";
import { day } from "../thread/format";
import { useLoaded } from "../ui/loaded";
import { words } from "../words";
import { Dialog } from "./dialog";
import { actions, type Entry, fitting, madeThings, places } from "./entries";
import { closeDialog } from "./open";
import { saidEntry, useSaid } from "./said";

const say = words.find;

/** Goes to anything by a few letters: chats, agents, pages, what was said, and what there is to do. */
export default function Palette() {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const [path, navigate] = useLocation();
  const chats = useDocuments("chats");
  const tasks = useDocuments("tasks");
  const made = useLoaded(madeThings).value;
  const said = useSaid(typed);
  const chatId = parsePlace(path)?.chatId;
  const running = useActivity(chats, tasks).get(chatId ?? "")?.state === "running";
  const entries = useMemo(() => {
    const known = { chats, tasks, chatId, running };
    const all = typed.trim()
      ? [...places(known), ...(made ?? []), ...actions(known)]
      : [...actions(known), ...places(known)];
    const found = said.finds.map(saidEntry);
    const further: Entry[] = said.next
      ? [
          {
            key: "further",
            group: say.groups.said,
            name: say.further(day(said.searchedTo)),
            text: "",
            icon: <Search size={15} aria-hidden className="shrink-0 text-faint" />,
          },
        ]
      : [];
    return [...byGroup(fitting(all, typed)), ...found, ...further];
  }, [chats, tasks, chatId, running, typed, made, said.finds, said.next, said.searchedTo]);
  const current = Math.min(at, entries.length - 1);

  const choose = (entry: Entry | undefined) => {
    if (!entry) {
      return;
    }
    if (entry.key === "further") {
      said.further();
      return;
    }
    closeDialog();
    if (entry.to) {
      navigate(entry.to);
    }
    if (entry.act) {
      setTimeout(entry.act); // after the dialog has given the focus back
    }
  };
  const onKeyDown = (e: KeyboardEvent) => {
    const to = { ArrowDown: current + 1, ArrowUp: current - 1 }[e.key];
    if (to !== undefined) {
      e.preventDefault();
      setAt((to + entries.length) % Math.max(1, entries.length));
    } else if (e.key === "Enter" && !e.nativeEvent.isComposing) {
      e.preventDefault();
      choose(entries[current]);
    }
  };
  useEffect(() => {
    list.current?.querySelector(`[id="${id}-${current}"]`)?.scrollIntoView({ block: "nearest" });
  }, [id, current]);

  return (
    <Dialog label={say.palette}>
      <div className="flex items-center gap-2 border-b border-line px-4">
        <Search size={16} aria-hidden className="shrink-0 text-faint" />
        <input
          role="combobox"
          aria-label={say.palette}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={entries.length > 0 ? `${id}-${current}` : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          placeholder={say.placeholder}
          value={typed}
          onChange={(e) => {
            setTyped(e.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
          className="min-w-0 flex-1 bg-transparent py-3 outline-none placeholder:text-faint"
        />
      </div>
      <div ref={list} className="max-h-[60vh] overflow-y-auto p-1.5">
        <div role="listbox" id={`${id}-list`} aria-label={say.palette} tabIndex={-1}>
          {entries.map((entry, i) => (
            <div key={entry.key}>
              {entry.group !== entries[i - 1]?.group && (
                <p aria-hidden className="px-2.5 pt-2 pb-1 text-xs font-medium text-faint">
                  {entry.group}
                </p>
              )}
              {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys come through the field, which keeps the focus */}
              <div
                role="option"
                id={`${id}-${i}`}
                tabIndex={-1}
                aria-selected={i === current}
                onClick={() => choose(entry)}
                onPointerMove={() => setAt(i)}
                className={`flex cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-sm max-md:py-2.5 ${i === current ? "bg-hover" : ""}`}
              >
                {entry.icon}
                <span className="min-w-0 flex-1 truncate">{entry.name}</span>
                {entry.hint && <span className="shrink-0 text-xs text-faint">{entry.hint}</span>}
              </div>
            </div>
          ))}
        </div>
        <p role="status" className="px-2.5 py-1.5 text-sm text-faint empty:hidden">
          {status(said, entries.length)}
        </p>
      </div>
    </Dialog>
  );
}

function status(said: ReturnType<typeof useSaid>, count: number): string {
  if (said.searching) {
    return say.searching;
  }
  if (said.error) {
    return say.failed(said.error);
  }
  return said.wanted && said.finds.length === 0 ? (count === 0 ? say.nothing : say.noneSaid) : "";
}

/** Entries of a group together, the group with the best first. */
function byGroup(entries: readonly Entry[]): Entry[] {
  return [...Map.groupBy(entries, (e) => e.group).values()].flat();
}
