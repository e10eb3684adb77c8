import { clock, day } from "../thread/format";
import { type Line, roundUp } from "./measure";

interface Props {
  label: string;
  lines: Line[];
  words: (value: number) => string;
}

/** Colours, and for those who do not tell them apart, dashes. */
const looks = [
  { stroke: "var(--color-accent)", dash: undefined },
  { stroke: "var(--color-good)", dash: "6 3" },
  { stroke: "var(--color-wait)", dash: "2 3" },
  { stroke: "var(--color-bad)", dash: "8 3 2 3" },
  { stroke: "var(--color-run)", dash: "12 4" },
  { stroke: "var(--color-soft)", dash: "1 4" },
];
/** As many lines as can be told apart. */
export const mostLines = looks.length;

const steps = [1, 0.75, 0.5, 0.25, 0];

/** Lines over time. The table beside says the same to who cannot see it. */
export function LineChart({ label, lines, words }: Props) {
  const values = lines.flatMap((l) => l.points.flatMap((p) => p.value ?? []));
  const top = roundUp(Math.max(0, ...values));
  const low = Math.min(0, ...values);
  const bottom = low < 0 ? -roundUp(-low) : 0;
  const first = lines[0]?.points[0]?.at ?? 0;
  const last = lines[0]?.points.at(-1)?.at ?? 1;
  const x = (at: number) => ((at - first) / Math.max(1, last - first)) * 100;
  const y = (value: number) => 100 - ((value - bottom) / (top - bottom)) * 100;
  const time = last - first > 86_400_000 ? day : clock;
  return (
    <figure className="space-y-2">
      <div className="flex h-56 gap-2 text-xs text-faint">
        <div aria-hidden className="flex w-14 flex-col justify-between text-right tabular-nums">
          {steps.map((s) => (
            <span key={s} className="-my-2">
              {words(bottom + s * (top - bottom))}
            </span>
          ))}
        </div>
        <svg
          role="img"
          aria-label={label}
          viewBox="0 0 100 100"
          preserveAspectRatio="none"
          className="min-w-0 flex-1 overflow-visible"
        >
          {steps.map((s) => (
            <line
              key={s}
              x1="0"
              x2="100"
              y1={100 * s}
              y2={100 * s}
              stroke="var(--color-line)"
              vectorEffect="non-scaling-stroke"
            />
          ))}
          {lines.map((l, i) => (
            <path
              key={l.name}
              d={pathOf(l, x, y)}
              fill="none"
              stroke={looks[i]?.stroke}
              strokeDasharray={looks[i]?.dash}
              strokeWidth="2"
              strokeLinecap="round"
              strokeLinejoin="round"
              vectorEffect="non-scaling-stroke"
            />
          ))}
        </svg>
      </div>
      <div aria-hidden className="flex justify-between pl-16 text-xs text-faint">
        {[first, (first + last) / 2, last].map((at) => (
          <span key={at}>{time(at)}</span>
        ))}
      </div>
      <figcaption className="flex flex-wrap gap-x-4 gap-y-1 pl-16 text-xs text-soft">
        {lines.map((l, i) => (
          <span key={l.name} className="flex min-w-0 items-center gap-1.5">
            <svg aria-hidden="true" width="24" height="4" className="shrink-0">
              <line
                x1="1"
                x2="23"
                y1="2"
                y2="2"
                stroke={looks[i]?.stroke}
                strokeDasharray={looks[i]?.dash}
                strokeWidth="2"
              />
            </svg>
            <span className="truncate">{l.name}</span>
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

/** The path of a line, broken where there is no value. A value alone is a dot. */
function pathOf(line: Line, x: (at: number) => number, y: (value: number) => number): string {
  let path = "";
  let open = false;
  for (const { at, value } of line.points) {
    if (value !== undefined) {
      const place = `${x(at).toFixed(2)} ${y(value).toFixed(2)}`;
      path += open ? `L${place}` : `M${place}L${place}`;
    }
    open = value !== undefined;
  }
  return path;
}
