import type { ReactNode } from "react";
import { words } from "../words";

const say = words.render.table;

interface Props {
  caption: string;
  heads: readonly string[];
  /** What to say when there are no rows. */
  empty: string;
  /** All columns but the first are numbers. */
  numbers?: boolean;
  /** A row for what they are together. */
  foot?: ReactNode;
  children: ReactNode[];
}

export function Table({ caption, heads, empty, numbers, foot, children }: Props) {
  if (children.length === 0) {
    return (
      <p className="rounded-xl border border-dashed border-line p-6 text-center text-sm text-faint">
        {empty}
      </p>
    );
  }
  return (
    <div
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="overflow-x-auto rounded-xl border border-line"
    >
      <table className="w-full text-left text-sm">
        <caption className="sr-only">{caption}</caption>
        <thead className="bg-panel text-xs text-soft">
          <tr>
            {heads.map((h, i) => (
              <th
                key={h}
                scope="col"
                className={`px-3 py-2 font-medium whitespace-nowrap ${numbers && i > 0 ? "text-right" : ""}`}
              >
                {h || <span className="sr-only">{say.actions}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">{children}</tbody>
        {foot && <tfoot className="border-t border-line bg-panel">{foot}</tfoot>}
      </table>
    </div>
  );
}

export function Cell({ children, className = "" }: { children?: ReactNode; className?: string }) {
  return <td className={`px-3 py-2 align-baseline ${className}`}>{children}</td>;
}
