import type { WaitFor } from "../api/runs";
import { duration } from "../thread/format";
import { words } from "../words";
import type { Node, Segment } from "./tree";

const say = words.runs;

interface Props {
  node: Node;
  /** The time that the axis shows. */
  from: number;
  to: number;
}

/** When something happened, and what its time went to. */
export function Bar({ node, from, to }: Props) {
  const length = Math.max(to - from, 1);
  const at = (time: number) => ((Math.min(Math.max(time, from), to) - from) / length) * 100;
  return (
    <div className="relative h-full" title={spent(node.segments)}>
      <div
        className={`absolute top-1/2 h-px -translate-y-1/2 ${node.critical ? "bg-ink" : "bg-edge"}`}
        style={{ left: `${at(node.from)}%`, width: `max(2px, ${at(node.to) - at(node.from)}%)` }}
      />
      {node.segments.map((s) => (
        <div
          key={`${s.for} ${s.from} ${s.to}`}
          className={`absolute top-1/2 -translate-y-1/2 wait-${s.for}`}
          style={{ left: `${at(s.from)}%`, width: `max(2px, ${at(s.to) - at(s.from)}%)` }}
        />
      ))}
    </div>
  );
}

const kinds: (WaitFor | "agents")[] = ["queue", "model", "tool", "person", "agents"];

/** What time went to, in words. */
function spent(segments: readonly Segment[]): string {
  const parts = kinds.flatMap((kind) => {
    const ms = segments.filter((s) => s.for === kind).reduce((sum, s) => sum + s.to - s.from, 0);
    return ms > 0 ? [`${say.waits[kind]} ${duration(ms)}`] : [];
  });
  return parts.length > 0 ? say.waited(parts.join(", ")) : "";
}

/** What the forms of bars stand for. */
export function Legend() {
  return (
    <ul className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-soft">
      {kinds.map((kind) => (
        <li key={kind} className="flex items-center gap-1.5">
          <span className={`inline-block w-5 wait-${kind}`} aria-hidden />
          {say.waits[kind]}
        </li>
      ))}
      <li className="flex items-center gap-1.5">
        <span className="inline-block h-3.5 w-0.5 bg-ink" aria-hidden />
        {say.critical}
      </li>
    </ul>
  );
}
