import { useState } from "react";
import { Button } from "../ui/button";
import { words } from "../words";
import type { Row } from "./shape";

const say = words.render.value;

const rowsAtOnce = 100;

/** Objects of the same fields, a row each. */
export function RowTable({
  rows,
  columns,
  label,
}: {
  rows: readonly Row[];
  columns: readonly string[];
  label: string;
}) {
  const [most, setMost] = useState(rowsAtOnce);
  const left = rows.length - most;
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-panel">
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="max-h-[60vh] overflow-auto"
      >
        <table className="min-w-full text-left text-[13px]">
          <thead className="sticky top-0 bg-panel">
            <tr>
              {columns.map((c) => (
                <th
                  key={c}
                  scope="col"
                  className="border-b border-line px-3 py-1.5 font-medium whitespace-nowrap"
                >
                  {c}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, most).map((row, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
              <tr key={i} className="border-b border-line last:border-0">
                {columns.map((c) => (
                  <td
                    key={c}
                    className={`max-w-80 px-3 py-1 align-top break-words ${typeof row[c] === "number" ? "text-right tabular-nums" : ""}`}
                  >
                    {row[c] === undefined || row[c] === null ? (
                      <span className="text-faint">–</span>
                    ) : (
                      String(row[c])
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {left > 0 && (
        <div className="border-t border-line p-1.5">
          <Button kind="quiet" onClick={() => setMost(most + rowsAtOnce)}>
            {say.moreRows(Math.min(left, rowsAtOnce), left)}
          </Button>
        </div>
      )}
    </div>
  );
}
