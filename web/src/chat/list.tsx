import { ArrowDown } from "lucide-react";
import { useEffect, useLayoutEffect, useRef } from "react";
import { Virtualizer } from "virtua";
import type { Unsent } from "../data/outbox";
import type { ThreadItem } from "../thread/thread";
import { Boundary } from "../ui/boundary";
import { Button } from "../ui/button";
import { useStickToEnd } from "../ui/stick";
import { Row } from "./row";

interface Props {
  items: readonly ThreadItem[];
  thinking: boolean;
  agentId?: string;
  onAnswer: () => void;
  onEdit: (unsent: Unsent) => void;
}

/** The rows of a chat. Only those in sight, and some around them, are in the page. */
export function MessageList({ items, thinking, agentId, onAnswer, onEdit }: Props) {
  const { scroller, content, onScroll, away, toEnd } = useStickToEnd();
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
        aria-label="Conversation"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="h-full overflow-y-auto [overflow-anchor:none] focus-visible:outline-offset-[-2px]"
      >
        <div ref={content} className="mx-auto max-w-3xl px-4 pt-6 pb-2">
          <Virtualizer scrollRef={scroller} shift={grewAbove} startMargin={24} itemSize={96}>
            {items.map((item) => (
              <div key={item.key} className="pb-4">
                <Boundary what="This part of the conversation">
                  <Row item={item} agentId={agentId} onAnswer={onAnswer} onEdit={onEdit} />
                </Boundary>
              </div>
            ))}
          </Virtualizer>
          <p role="status" className={`h-6 text-sm text-faint ${thinking ? "animate-pulse" : ""}`}>
            {thinking && "Thinking…"}
          </p>
        </div>
      </div>
      {away && (
        <Button
          icon={<ArrowDown size={14} />}
          onClick={toEnd}
          className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full shadow-md"
        >
          Latest
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
