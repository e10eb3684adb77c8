import { type ReactNode, useMemo, useState } from "react";
import { useSearchParams } from "wouter";
import type { Source } from "../api/runs";
import { cost, duration, tokens } from "../thread/format";
import { Button } from "../ui/button";
import { StatusPill } from "../ui/status";
import { words } from "../words";
import { Legend } from "./bar";
import { Detail } from "./detail";
import { find, latest, type Node, visible } from "./tree";
import { Waterfall } from "./waterfall";
import "./runs.css";

const say = words.runs;

interface Props {
  source: Source;
  root: Node;
  title: string;
  /** The run is under way. */
  going: boolean;
  /** What stands above the title, and what can be done about the run. */
  before?: ReactNode;
  actions?: ReactNode;
  /** What can be done about a step. */
  stepActions?: (node: Node) => ReactNode;
}

/** A run: its tree, its times and, beside them, one step. The address names the step. */
export function RunView({ source, root, title, going, before, actions, stepActions }: Props) {
  const [search, setSearch] = useSearchParams();
  const opened = search.get("row") ?? "";
  const [active, setActive] = useState(opened);
  const [folded, setFolded] = useState<ReadonlySet<string>>(() => crowded(root));
  const [failedOnly, setFailedOnly] = useState(false);
  const rows = useMemo(() => visible(root, folded, failedOnly), [root, folded, failedOnly]);
  const step = opened ? find(root, opened) : undefined;
  const { totals } = root;

  const open = (row: string) => {
    setActive(row || active);
    setSearch(
      (params) => {
        const next = new URLSearchParams(params);
        if (row) {
          next.set("row", row);
        } else {
          next.delete("row");
        }
        return next;
      },
      { replace: true },
    );
  };
  const fold = (id: string, shut: boolean) => {
    const next = new Set(folded);
    if (shut) {
      next.add(id);
    } else {
      next.delete(id);
    }
    setFolded(next);
  };
  const toLive = () => {
    const node = latest(root);
    if (node) {
      const next = new Set(folded);
      for (let above = node.parent; above; above = above.parent) {
        next.delete(above.row.id);
      }
      setFolded(next);
      setActive(node.row.id);
    }
  };

  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col">
        <header className="space-y-2 border-b border-line px-4 py-2">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {before}
            <h1 className="min-w-0 flex-1 basis-40 truncate text-[15px] font-semibold">{title}</h1>
            {actions}
          </div>
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-soft">
            <StatusPill status={root.row.status} />
            <span>{duration(root.to - root.from)}</span>
            <span>{say.agents(totals.agents)}</span>
            <span>{say.tokens(tokens(totals.tokens))}</span>
            <span>{cost(totals.costMicros)}</span>
            <span className={totals.errors > 0 ? "text-bad" : ""}>{say.errors(totals.errors)}</span>
            {totals.retries > 0 && <span className="text-wait">{say.retries(totals.retries)}</span>}
          </div>
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <label className="flex min-h-8 items-center gap-1.5 text-xs">
              <input type="checkbox" checked={failedOnly} onChange={(e) => setFailedOnly(e.target.checked)} />
              {say.failedOnly}
            </label>
            <Button
              kind="quiet"
              onClick={() => setFolded(folded.size > 0 ? new Set() : branches(root))}
              className="px-2 text-xs"
            >
              {folded.size > 0 ? say.unfoldAll : say.foldAll}
            </Button>
            {going && (
              <Button onClick={toLive} className="px-2 text-xs">
                {say.toLive}
              </Button>
            )}
            <div className="ml-auto max-md:hidden">
              <Legend />
            </div>
          </div>
        </header>
        {rows.length === 0 ? (
          <p className="p-6 text-sm text-faint">{say.nothingFailed}</p>
        ) : (
          <Waterfall
            root={root}
            rows={rows}
            folded={folded}
            active={active}
            onActive={setActive}
            onOpen={open}
            onFold={fold}
          />
        )}
      </div>
      {step && (
        <Detail key={step.row.id} source={source} node={step} onClose={() => open("")}>
          {stepActions?.(step)}
        </Detail>
      )}
    </div>
  );
}

/** Of a run with very many rows agents begin folded. */
const many = 300;

function crowded(root: Node): Set<string> {
  const all = visible(root, new Set(), false);
  return all.length > many
    ? new Set(all.filter((n) => n.row.kind === "agent").map((n) => n.row.id))
    : new Set();
}

/** All rows below the first that have others below them. */
const branches = (root: Node) =>
  new Set(
    visible(root, new Set(), false)
      .filter((n) => n.parent && n.children.length > 0)
      .map((n) => n.row.id),
  );
