import { ChevronDown, ChevronRight } from "lucide-react";
import { type KeyboardEvent, memo, useEffect, useId, useRef } from "react";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import { cost, duration, tokens } from "../thread/format";
import { StatusIcon } from "../ui/status";
import { words } from "../words";
import { Bar } from "./bar";
import { KindIcon, titleOf } from "./rowlabel";
import { type Node, ticks } from "./tree";

const say = words.runs;

interface Props {
  root: Node;
  rows: readonly Node[];
  folded: ReadonlySet<string>;
  /** The row that the keys start from, and whether its details are shown. */
  active: string;
  onActive: (id: string) => void;
  onOpen: (id: string) => void;
  onFold: (id: string, folded: boolean) => void;
}

/** By the width that there is: with all numbers, with the time alone, or with the bar below the text. */
const columns =
  "grid items-center gap-x-2 grid-cols-[minmax(0,1fr)_4.5rem] @md:grid-cols-[minmax(0,1fr)_4.5rem_minmax(0,1fr)] @3xl:grid-cols-[minmax(0,5fr)_4.5rem_4rem_4.5rem_minmax(0,6fr)]";

/** The tree of a run beside its times. Only rows in sight are in the page. */
export function Waterfall({ root, rows, folded, active, onActive, onOpen, onFold }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const id = useId();
  const index = rows.findIndex((n) => n.row.id === active);

  useEffect(() => {
    if (index >= 0) {
      list.current?.scrollToIndex(index, { align: "nearest" });
    }
  }, [index]);

  const go = (to: number) => {
    const node = rows[Math.min(Math.max(to, 0), rows.length - 1)];
    if (node) {
      onActive(node.row.id);
    }
  };
  const onKeyDown = (e: KeyboardEvent) => {
    const node = rows[index];
    const keys: Record<string, () => void> = {
      ArrowDown: () => go(index + 1),
      ArrowUp: () => go(index - 1),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      PageDown: () => go(index + 15),
      PageUp: () => go(index - 15),
      ArrowRight: () => {
        if (node && node.children.length > 0) {
          if (folded.has(node.row.id)) {
            onFold(node.row.id, false);
          } else {
            go(index + 1);
          }
        }
      },
      ArrowLeft: () => {
        if (node && node.children.length > 0 && !folded.has(node.row.id)) {
          onFold(node.row.id, true);
        } else if (node?.parent) {
          onActive(node.parent.row.id);
        }
      },
      Enter: () => node && onOpen(node.row.id),
    };
    const act = e.altKey || e.ctrlKey || e.metaKey ? undefined : keys[e.key];
    if (act) {
      e.preventDefault();
      act();
    }
  };

  return (
    <div className="@container flex min-h-0 flex-1 flex-col">
      <Axis root={root} />
      <div
        ref={scroller}
        role="tree"
        aria-label={say.tree}
        aria-describedby={`${id}-keys`}
        aria-activedescendant={index >= 0 ? `${id}-${index}` : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onFocus={() => index < 0 && go(0)}
        className="min-h-0 flex-1 overflow-y-auto px-2 pb-4 focus-visible:outline-offset-[-2px]"
      >
        <Virtualizer ref={list} scrollRef={scroller} itemSize={34} data={rows}>
          {(node, i) => (
            <Row
              key={node.row.id}
              id={`${id}-${i}`}
              node={node}
              from={root.from}
              to={root.to}
              active={i === index}
              folded={folded.has(node.row.id)}
              onOpen={onOpen}
              onFold={onFold}
            />
          )}
        </Virtualizer>
      </div>
      <p id={`${id}-keys`} className="sr-only">
        {say.keys}
      </p>
    </div>
  );
}

/** The names of the columns, and the time from the begin of the run. */
function Axis({ root }: { root: Node }) {
  const length = Math.max(root.to - root.from, 1);
  return (
    <div className={`${columns} border-b border-line px-4 py-1 text-xs text-faint`} aria-hidden>
      <span>{say.columns.what}</span>
      <span className="text-right">{say.columns.time}</span>
      <span className="text-right @max-3xl:hidden">{say.columns.tokens}</span>
      <span className="text-right @max-3xl:hidden">{say.columns.cost}</span>
      <Marks length={length} most={6} className="@max-3xl:hidden" />
      <Marks length={length} most={2} className="@max-md:hidden @3xl:hidden" />
    </div>
  );
}

function Marks({ length, most, className }: { length: number; most: number; className: string }) {
  return (
    <div className={`relative h-4 ${className}`}>
      {ticks(length, most).map((at) => (
        <span
          key={at}
          className="absolute border-l border-line pl-1 whitespace-nowrap"
          style={{ left: `${(at / length) * 100}%` }}
        >
          {at / length < 0.9 && duration(at)}
        </span>
      ))}
    </div>
  );
}

interface RowProps {
  id: string;
  node: Node;
  from: number;
  to: number;
  active: boolean;
  folded: boolean;
  onOpen: (id: string) => void;
  onFold: (id: string, folded: boolean) => void;
}

const Row = memo(function Row({ id, node, from, to, active, folded, onOpen, onFold }: RowProps) {
  const { row, children, depth, totals, critical } = node;
  const { name, about } = titleOf(row);
  const branch = children.length > 0;
  const marks = [
    totals.errors > 0 && (branch || row.error) && say.errors(totals.errors),
    totals.retries > 0 && say.retries(totals.retries),
    folded && totals.agents > 1 && say.agents(totals.agents),
  ].filter(Boolean);
  return (
    <div
      id={id}
      role="treeitem"
      aria-level={depth + 1}
      aria-expanded={branch ? !folded : undefined}
      aria-selected={active}
      // The keys are those of the tree, which has the focus.
      tabIndex={-1}
      onClick={() => onOpen(row.id)}
      onKeyDown={() => {}}
      className={`${columns} relative h-[34px] cursor-pointer rounded-md px-2 text-sm ${active ? "bg-accent-wash" : "hover:bg-hover"} @max-md:pb-2`}
    >
      {critical && <span className="absolute inset-y-1 left-0 w-0.5 rounded bg-ink" title={say.onCritical} />}
      <div className="flex min-w-0 items-center gap-1.5" style={{ paddingLeft: Math.min(depth, 12) * 14 }}>
        {branch ? (
          <button
            type="button"
            tabIndex={-1}
            aria-label={folded ? say.unfold : say.fold}
            onClick={(e) => {
              e.stopPropagation();
              onFold(row.id, !folded);
            }}
            className="inline-flex size-5 shrink-0 items-center justify-center rounded text-faint hover:bg-hover hover:text-ink"
          >
            {folded ? <ChevronRight size={14} /> : <ChevronDown size={14} />}
          </button>
        ) : (
          <span className="w-5 shrink-0" />
        )}
        <StatusIcon status={row.status} size={13} />
        <KindIcon kind={row.kind} />
        <span
          className={`shrink-0 truncate ${about ? "max-w-[50%]" : "max-w-full"} ${critical ? "font-medium" : ""}`}
        >
          {name}
        </span>
        {about && <span className="min-w-0 flex-1 truncate text-soft">{about}</span>}
        {marks.length > 0 && (
          <span className={`ml-auto shrink-0 text-xs ${totals.errors > 0 ? "text-bad" : "text-wait"}`}>
            {marks.join(" · ")}
          </span>
        )}
      </div>
      <span className="text-right text-xs whitespace-nowrap text-soft tabular-nums">
        {duration(node.to - node.from)}
      </span>
      <span className="text-right text-xs whitespace-nowrap text-soft tabular-nums @max-3xl:hidden">
        {totals.tokens > 0 && tokens(totals.tokens)}
      </span>
      <span className="text-right text-xs whitespace-nowrap text-soft tabular-nums @max-3xl:hidden">
        {totals.costMicros > 0 && cost(totals.costMicros)}
      </span>
      <div className="h-full @max-md:absolute @max-md:inset-x-2 @max-md:bottom-0 @max-md:h-2 @max-md:scale-y-50">
        <Bar node={node} from={from} to={to} />
      </div>
    </div>
  );
});
