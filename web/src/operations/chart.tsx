import { useEffect, useRef } from "react";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useScheme } from "../ui/scheme";

interface Props {
  label: string;
  /** As yyyy-mm-dd. */
  days: string[];
  /** Drawn on top of each other, so that a bar is as high as their sum. */
  series: { name: string; values: number[] }[];
  words: (value: number) => string;
  legend: boolean;
}

const height = 240;
const day = 86_400;

const colours = ["accent", "good", "wait", "bad", "run", "soft"];
/** As many as can be told apart. */
export const mostSeries = colours.length;

/** Bars by day. The table below says the same to those who cannot see it. */
export function Chart({ label, days, series, words, legend }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const swatches = useRef<HTMLUListElement>(null);
  const times = days.map((d) => Date.parse(d) / 1000);
  const key = JSON.stringify([useScheme(), label, times, series]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: key stands for the data and the colours
  useEffect(() => {
    const el = box.current;
    if (!el) {
      return;
    }
    const style = getComputedStyle(el);
    // The canvas knows no colours that follow the scheme: the legend has them as they are now.
    const fills = [...(swatches.current?.querySelectorAll("span") ?? [])].map(
      (s) => getComputedStyle(s).backgroundColor,
    );
    const [first = 0, last = 0] = [times[0], times.at(-1)];
    const axis = {
      stroke: style.color,
      font: `12px ${style.fontFamily}`,
      grid: { stroke: style.borderColor, width: 1 },
      ticks: { show: false },
    };
    // The highest is drawn first, and what is below it over that.
    const sums = series.map((_, i) =>
      times.map((_, at) => series.slice(0, i + 1).reduce((sum, s) => sum + (s.values[at] ?? 0), 0)),
    );
    const bars = UPlot.paths.bars?.({ size: [0.6, 60] });
    const plot = new UPlot(
      {
        width: el.clientWidth,
        height,
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: { range: [Math.min(first, last - 13 * day) - day / 2, last + day / 2] },
          y: { range: [0, null] as never },
        },
        axes: [axis, { ...axis, size: 60, values: (_, ticks) => ticks.map(words) }],
        series: [
          {},
          ...series
            .map((s, i) => ({
              label: s.name,
              points: { show: false },
              fill: fills[i],
              width: 0,
              paths: bars,
            }))
            .toReversed(),
        ],
      },
      [times, ...sums.toReversed()],
      el,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: el.clientWidth, height }));
    observer.observe(el);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [key]);
  return (
    <figure className="space-y-2">
      <div ref={box} role="img" aria-label={label} className="border-line text-soft" />
      <ul
        ref={swatches}
        className={legend ? "flex flex-wrap gap-x-4 gap-y-1 text-xs text-soft" : "sr-only"}
        aria-hidden={!legend}
      >
        {series.map((s, i) => (
          <li key={s.name} className="flex min-w-0 items-center gap-1.5">
            <span
              aria-hidden
              className="size-2.5 shrink-0 rounded-sm"
              style={{ backgroundColor: `var(--color-${colours[i]})` }}
            />
            <bdi className="min-w-0 truncate">{s.name}</bdi>
          </li>
        ))}
      </ul>
    </figure>
  );
}
