import { ArrowDown } from "lucide-react";
import { type ReactNode, type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef } from "react";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import type { Unsent } from "../data/outbox";
import type { ThreadItem } from "../thread/thread";
import { Boundary } from "../ui/boundary";
import { Button } from "../ui/button";
import { useStickToEnd } from "../ui/stick";
import { words } from "../words";
import { Row } from "./row";

const say = words.chat;
/** What others can have the list do. */
export interface ListHandle {
  /** Brings a row into sight, and stays there. */
  show: (key: string) => void;
}

interface Props {
  ref?: Ref<ListHandle>;
  items: readonly ThreadItem[];
  /** Stands below all rows. */
  waiting: ReactNode;
  agentId?: string;
  onEdit: (unsent: Unsent) => void;
}

/** The rows of a chat. Only those in sight, and some around them, are in the page. */
export function MessageList({ ref, items, waiting, agentId, onEdit }: Props) {
  const { scroller, content, onScroll, away, toEnd, letGo } = useStickToEnd();
  const rows = useRef<VirtualizerHandle>(null);
  useImperativeHandle(ref, () => ({
    show: (key) => {
      letGo();
      rows.current?.scrollToIndex(
        items.findIndex((i) => i.key === key),
        { align: "center" },
      );
    },
  }));
  const grewAbove = useGrewAbove(items[0]?.key, items.at(-1)?.key);
  const unsent = items.findLast((i) => i.kind === "unsent")?.key;
  useLayoutEffect(() => {
    if (unsent) {
      toEnd(); // whoever says something wants to see it
    }
  }, [unsent, toEnd]);

  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        onScroll={onScroll}
        role="log"
        aria-label={say.conversation}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="h-full overflow-y-auto [overflow-anchor:none] focus-visible:outline-offset-[-2px]"
      >
        <div ref={content} className="mx-auto max-w-3xl px-4 pt-6 pb-2">
          <Virtualizer ref={rows} scrollRef={scroller} shift={grewAbove} startMargin={24} itemSize={96}>
            {items.map((item) => (
              // While an answer comes the list scrolls, and virtua has rows that scroll ignore the pointer.
              <div key={item.key} data-key={item.key} className="pointer-events-auto pb-4 empty:hidden">
                <Boundary what={say.parts.row}>
                  <Row item={item} agentId={agentId} onEdit={onEdit} />
                </Boundary>
              </div>
            ))}
          </Virtualizer>
          <div className="min-h-6">{waiting}</div>
        </div>
      </div>
      {away && (
        <Button
          icon={<ArrowDown size={14} />}
          onClick={toEnd}
          className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full shadow-md"
        >
          {say.latest}
        </Button>
      )}
    </div>
  );
}

/** Whether rows came above all others: then what is read must not move. */
function useGrewAbove(first: string | undefined, last: string | undefined): boolean {
  const before = useRef({ first, last });
  const grew = before.current.first !== first && before.current.last === last;
  useEffect(() => {
    before.current = { first, last };
  }, [first, last]);
  return grew;
}
