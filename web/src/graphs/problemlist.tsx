import { CircleAlert, TriangleAlert } from "lucide-react";
import { words } from "../words/graphs";
import { countProblems, type Found } from "./problems";

const say = words.problemlist;

/** Everything that is wrong with the graph. A press leads to the place. */
export function ProblemList({ found, onJump }: { found: readonly Found[]; onJump: (f: Found) => void }) {
  return (
    <section aria-label={say.problems}>
      <h2 className="px-3 py-1.5 text-xs font-medium text-soft">
        <span role="status">{countProblems(found)}</span>
      </h2>
      {found.length > 0 && (
        <ul className="max-h-28 overflow-y-auto px-1 pb-1">
          {found.map((f) => (
            <li key={`${f.problem.code} ${f.problem.nodeId} ${f.problem.edgeIndex} ${f.problem.message}`}>
              <button
                type="button"
                onClick={() => onJump(f)}
                className="flex w-full items-start gap-1.5 rounded px-2 py-0.5 text-left text-sm hover:bg-hover"
              >
                {f.severity === "error" ? (
                  <CircleAlert size={14} aria-label={say.error} className="mt-1 shrink-0 text-bad" />
                ) : (
                  <TriangleAlert size={14} aria-label={say.warning} className="mt-1 shrink-0 text-wait" />
                )}
                <span className="min-w-0 break-words">{f.problem.message}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
