import { type ReactNode, useMemo, useRef } from "react";
import { Virtualizer } from "virtua";
import { cost, duration, headline, tokens } from "../thread/format";
import { Notice } from "../ui/notice";
import { StatusIcon } from "../ui/status";
import { words } from "../words";
import { KindIcon, titleOf } from "./rowlabel";
import { compare, type Node, type Pair } from "./tree";
import { useRun } from "./userun";

const say = words.runs;

interface Props {
  root: Node;
  otherId: string;
  before: ReactNode;
  actions: ReactNode;
}

const columns = "grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)] gap-x-3";

/** Two runs side by side: what they took in all, and their trees with what differs marked. */
export function Comparison({ root, otherId, before, actions }: Props) {
  const { root: other, error } = useRun({ run: otherId });
  const pairs = useMemo(() => (other ? compare(root, other) : []), [root, other]);
  const scroller = useRef<HTMLElement>(null);
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2">
        {before}
        <h1 className="min-w-0 flex-1 truncate text-[15px] font-semibold">{say.comparing}</h1>
        {actions}
      </header>
      {error && <Notice text={error} />}
      {other && <Sums left={root} right={other} />}
      <section
        ref={scroller}
        aria-label={say.comparing}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto px-4 py-2"
      >
        <Virtualizer scrollRef={scroller} itemSize={34} data={pairs}>
          {(pair) => <Row key={pair.key} pair={pair} />}
        </Virtualizer>
      </section>
    </div>
  );
}

function Sums({ left, right }: { left: Node; right: Node }) {
  const ms = (n: Node) => n.to - n.from;
  const rows: [string, (n: Node) => number, (value: number) => string][] = [
    [say.time, ms, duration],
    [say.kinds.agent, (n) => n.totals.agents, String],
    [say.facts.tokens, (n) => n.totals.tokens, tokens],
    [say.facts.cost, (n) => n.totals.costMicros, cost],
    [say.failures, (n) => n.totals.errors, String],
  ];
  const name = (n: Node) => headline(n.row.label ?? "");
  return (
    <table className="m-4 w-auto max-w-2xl text-sm">
      <thead>
        <tr className="text-left text-xs text-faint">
          <th />
          <th className="max-w-48 truncate pr-6 font-medium" title={name(left)}>
            {say.thisRun}: {name(left)}
          </th>
          <th className="max-w-48 truncate pr-6 font-medium" title={name(right)}>
            {say.otherRun}: {name(right)}
          </th>
          <th className="font-medium">{say.difference}</th>
        </tr>
      </thead>
      <tbody className="tabular-nums">
        {rows.map(([what, of, show]) => {
          const more = of(right) - of(left);
          return (
            <tr key={what}>
              <th className="pr-6 text-left font-normal text-soft">{what}</th>
              <td className="pr-6">{show(of(left))}</td>
              <td className="pr-6">{show(of(right))}</td>
              <td className={more === 0 ? "text-faint" : more > 0 ? "text-wait" : "text-good"}>
                {more === 0 ? say.same : `${more > 0 ? "+" : "−"}${show(Math.abs(more))}`}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Row({ pair: { left, right, depth } }: { pair: Pair }) {
  const look = !left
    ? "bg-good-wash"
    : !right
      ? "bg-bad-wash"
      : left.row.status !== right.row.status
        ? "bg-wait-wash"
        : "";
  return (
    <div className={`${columns} h-[34px] items-center rounded-md px-2 text-sm ${look}`}>
      <Side node={left} depth={depth} none={say.notHere} />
      <Side node={right} depth={depth} none={say.notThere} />
    </div>
  );
}

function Side({ node, depth, none }: { node?: Node; depth: number; none: string }) {
  if (!node) {
    return (
      <div className="truncate text-xs text-faint" style={{ paddingLeft: Math.min(depth, 12) * 14 }}>
        {none}
      </div>
    );
  }
  const { name, about } = titleOf(node.row);
  return (
    <div className="flex min-w-0 items-center gap-1.5" style={{ paddingLeft: Math.min(depth, 12) * 14 }}>
      <StatusIcon status={node.row.status} size={13} />
      <KindIcon kind={node.row.kind} />
      <span className="truncate">
        {name} <span className="text-soft">{about}</span>
      </span>
      <span className="ml-auto shrink-0 text-xs text-soft tabular-nums">
        {duration(node.to - node.from)}
        {node.totals.tokens > 0 && ` · ${tokens(node.totals.tokens)}`}
      </span>
    </div>
  );
}
