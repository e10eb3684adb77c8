import { ChevronDown, ChevronUp, X } from "lucide-react";
import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import type { ListHandle } from "../chat/list";
import type { ThreadItem } from "../thread/thread";
import { IconButton } from "../ui/button";
import { words } from "../words";
import { offerBar } from "./open";
import { usePainted } from "./paint";
import { holds } from "./row";

const say = words.find;

interface Props {
  items: readonly ThreadItem[];
  list: RefObject<ListHandle | null>;
}

/**
 * Finds a text in the chat that is open. The browser's own search sees only the rows that are drawn, so this
 * one looks through all and has the list show those that have it, the newest first.
 */
export default function FindBar({ items, list }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const before = useRef<Element | null>(null); // who had the focus
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0); // from the newest
  const found = useMemo(
    () => (open && typed.trim() ? items.filter((i) => holds(i, typed)).map((i) => i.key) : []),
    [open, typed, items],
  );
  const back = Math.min(at, found.length - 1);
  const key = found.at(-1 - back);
  usePainted(open ? typed.trim() : "", key);
  useJump(items, list);

  useEffect(() => {
    const withdraw = offerBar(() => {
      if (document.activeElement !== input.current) {
        before.current = document.activeElement;
      }
      setOpen(true);
      input.current?.select();
    });
    return () => {
      withdraw();
    };
  }, []);
  useEffect(() => {
    if (open) {
      input.current?.focus();
    }
  }, [open]);
  useEffect(() => {
    if (key) {
      list.current?.show(key);
    }
  }, [key, list]);

  const close = () => {
    setOpen(false);
    if (before.current instanceof HTMLElement) {
      before.current.focus();
    }
  };
  const go = (by: number) => setAt((back + by + found.length) % Math.max(1, found.length));
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key === "Escape") {
      e.stopPropagation(); // it is on top
      close();
    } else if (e.key === "Enter") {
      e.preventDefault();
      go(e.shiftKey ? -1 : 1);
    }
  };
  if (!open) {
    return null;
  }
  return (
    <search
      aria-label={say.bar}
      className="flex items-center gap-1 border-b border-line px-4 py-1.5"
      onKeyDown={onKeyDown}
    >
      <input
        ref={input}
        aria-label={say.bar}
        placeholder={say.inChat}
        value={typed}
        onChange={(e) => {
          setTyped(e.target.value);
          setAt(0);
        }}
        className="min-w-0 flex-1 bg-transparent py-1 text-sm outline-none placeholder:text-faint"
      />
      <span role="status" className="px-1 text-xs whitespace-nowrap text-faint">
        {typed.trim() && say.count(found.length - back, found.length)}
      </span>
      <IconButton label={say.previous} disabled={found.length === 0} onClick={() => go(1)}>
        <ChevronUp size={16} />
      </IconButton>
      <IconButton label={say.next} disabled={found.length === 0} onClick={() => go(-1)}>
        <ChevronDown size={16} />
      </IconButton>
      <IconButton label={say.close} onClick={close}>
        <X size={16} />
      </IconButton>
    </search>
  );
}

/** wouter tells of what it does to the address by these. */
const moves = ["pushState", "replaceState", "popstate", "hashchange"];

function subscribe(fn: () => void): () => void {
  for (const name of moves) {
    window.addEventListener(name, fn);
  }
  return () => {
    for (const name of moves) {
      window.removeEventListener(name, fn);
    }
  };
}

/** Shows the message that the address names, once it is there. */
function useJump(items: readonly ThreadItem[], list: RefObject<ListHandle | null>): void {
  const hash = useSyncExternalStore(subscribe, () => location.hash.slice(1));
  const wanted = hash ? items.find((i) => i.key === hash || i.key.endsWith(`/${hash}`))?.key : undefined;
  usePainted("", wanted);
  useEffect(() => {
    if (wanted) {
      list.current?.show(wanted);
    }
  }, [wanted, list]);
}
