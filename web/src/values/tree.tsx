import { ChevronRight, Copy, Route } from "lucide-react";
import { type KeyboardEvent, useMemo, useRef, useState } from "react";
import { IconButton } from "../ui/button";
import { words } from "../words";
import { firstOpen, lines, type Node, opens, root, size } from "./nodes";
import { type Holder, isHolder } from "./shape";

const say = words.render.value;

/** A value of JSON, to open part by part. The arrow keys walk through it, as in any tree. */
export function Tree({ value, label }: { value: Holder; label: string }) {
  const top = useMemo(() => root(value), [value]);
  const [open, setOpen] = useState<ReadonlySet<string>>(() => firstOpen(top));
  const [active, setActive] = useState(top.id);
  const [said, setSaid] = useState("");
  const box = useRef<HTMLDivElement>(null);
  const shown = useMemo(() => lines(top, open), [top, open]);

  const toggle = (node: Node, to = !open.has(node.id)) => {
    const next = new Set(open);
    if (to) {
      next.add(node.id);
    } else {
      next.delete(node.id);
    }
    setOpen(next);
  };
  const go = (node?: Node) => {
    if (node) {
      setActive(node.id);
      box.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(node.id)}"]`)?.focus();
    }
  };
  const copy = async (text: string, what: string) => {
    await navigator.clipboard.writeText(text);
    setSaid(what);
  };
  const onKeyDown = (e: KeyboardEvent, node: Node) => {
    const act = keys(node, shown, open, go, toggle)[e.key];
    if (act && e.target === e.currentTarget) {
      e.preventDefault();
      e.stopPropagation(); // the page has its own use for arrows
      act();
    }
  };
  return (
    <div className="rounded-lg border border-line bg-panel">
      <div
        ref={box}
        role="tree"
        aria-label={label}
        className="max-h-[60vh] overflow-auto p-2 font-mono text-[13px] leading-6"
      >
        {shown.map((node) => (
          <div
            key={node.id}
            role="treeitem"
            data-node={node.id}
            aria-level={node.depth + 1}
            aria-expanded={opens(node) ? open.has(node.id) : undefined}
            aria-selected={node.id === active}
            tabIndex={node.id === active ? 0 : -1}
            onFocus={() => setActive(node.id)}
            onKeyDown={(e) => onKeyDown(e, node)}
            onClick={() => {
              setActive(node.id);
              if (opens(node)) {
                toggle(node);
              }
            }}
            style={{ paddingLeft: `${node.depth * 1.1}em` }}
            className="group/line flex min-w-max cursor-default items-start rounded pr-16 hover:bg-raised"
          >
            <ChevronRight
              size={13}
              aria-hidden
              className={`mt-1.5 mr-0.5 shrink-0 text-soft transition-transform ${opens(node) ? "" : "invisible"} ${open.has(node.id) ? "rotate-90" : ""}`}
            />
            <Line node={node} />
            {node.id === active && !node.slice && (
              <span className="sticky right-0 -my-1 ml-2 flex">
                <IconButton
                  label={say.copyPath(node.path)}
                  className="size-6"
                  onClick={(e) => {
                    e.stopPropagation();
                    void copy(node.path, say.copiedPath);
                  }}
                >
                  <Route size={13} />
                </IconButton>
                <IconButton
                  label={say.copyValue}
                  className="size-6"
                  onClick={(e) => {
                    e.stopPropagation();
                    void copy(plain(node.value), say.copiedValue);
                  }}
                >
                  <Copy size={13} />
                </IconButton>
              </span>
            )}
          </div>
        ))}
      </div>
      <p role="status" className="sr-only">
        {said}
      </p>
    </div>
  );
}

type Toggle = (node: Node, to?: boolean) => void;

/** What keys do at a line of a tree. */
function keys(
  node: Node,
  shown: readonly Node[],
  open: ReadonlySet<string>,
  go: (node?: Node) => void,
  toggle: Toggle,
): Record<string, () => void> {
  const at = shown.indexOf(node);
  const parent = () => shown.slice(0, at).findLast((n) => n.depth < node.depth);
  const flip = () => (opens(node) ? toggle(node) : undefined);
  return {
    ArrowDown: () => go(shown[at + 1]),
    ArrowUp: () => go(shown[at - 1]),
    Home: () => go(shown[0]),
    End: () => go(shown.at(-1)),
    ArrowRight: () =>
      opens(node) ? (open.has(node.id) ? go(shown[at + 1]) : toggle(node, true)) : undefined,
    ArrowLeft: () => (open.has(node.id) ? toggle(node, false) : go(parent())),
    Enter: flip,
    " ": flip,
  };
}

function Line({ node: { name, value, slice } }: { node: Node }) {
  if (slice) {
    return (
      <span className="text-soft">
        {slice.from} … {slice.to - 1}
      </span>
    );
  }
  return (
    <span>
      {name !== undefined && (
        <>
          <span className="text-accent">{name}</span>
          <span className="text-soft">: </span>
        </>
      )}
      {isHolder(value) ? (
        <span className="text-soft">
          {Array.isArray(value) ? say.list(size(value)) : say.object(size(value))}
        </span>
      ) : (
        <Leaf value={value} />
      )}
    </span>
  );
}

const longest = 300;

function Leaf({ value }: { value: unknown }) {
  const [whole, setWhole] = useState(false);
  if (typeof value !== "string") {
    return <span className={value === null ? "text-soft" : "text-run"}>{String(value)}</span>;
  }
  const cut = value.length > longest && !whole;
  return (
    <span
      className={`text-good ${value.length > 80 || value.includes("\n") ? "inline-block max-w-[60ch] align-top break-words whitespace-pre-wrap" : ""}`}
    >
      “{cut ? value.slice(0, longest) : value}”
      {cut && (
        <button
          type="button"
          className="ml-1 text-accent underline"
          onClick={(e) => {
            e.stopPropagation();
            setWhole(true);
          }}
        >
          {say.more(value.length - longest)}
        </button>
      )}
    </span>
  );
}

const plain = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));
