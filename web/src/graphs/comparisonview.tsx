import { useCallback } from "react";
import { compareRuns } from "../api/graphs";
import { Button } from "../ui/button";
import { useLoaded } from "../ui/loaded";
import { Notice } from "../ui/notice";
import { words } from "../words/graphs";
import { differencesOf, timesOf } from "./comparison";

const say = words.comparisonview;

interface Props {
  left: string;
  right: string;
  onSelectNode: (id: string) => void;
  onClose: () => void;
}

/** How two runs differ. */
export function ComparisonView({ left, right, onSelectNode, onClose }: Props) {
  const load = useCallback(() => compareRuns(left, right), [left, right]);
  const { value, error } = useLoaded(load);
  return (
    <section aria-label={say.comparison} className="space-y-2 rounded-lg border border-line p-2.5">
      <div className="flex items-center gap-2">
        <h3 className="flex-1 text-sm font-semibold">{say.twoRuns}</h3>
        <Button onClick={onClose}>{say.close}</Button>
      </div>
      {error && <Notice text={error} />}
      {value && (
        <>
          <p className="text-sm text-soft">
            {value.same ? say.same : say.differ} {timesOf(value)}.{value.truncated && say.onlyFirstTurns}
          </p>
          <ul className="space-y-2">
            {differencesOf(value).map((d) => (
              <li key={d.nodeId}>
                <button
                  type="button"
                  onClick={() => onSelectNode(d.nodeId)}
                  className="rounded text-sm font-medium hover:bg-hover"
                >
                  {d.nodeId}
                </button>
                <dl>
                  {d.lines.map((l) => (
                    <div key={l.what}>
                      <dt className="text-xs text-faint">{l.what}</dt>
                      <dd className="rounded bg-bad-wash px-1.5 text-xs break-words whitespace-pre-wrap">
                        {l.left}
                      </dd>
                      <dd className="rounded bg-good-wash px-1.5 text-xs break-words whitespace-pre-wrap">
                        {l.right}
                      </dd>
                    </div>
                  ))}
                </dl>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
