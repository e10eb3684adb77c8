import { useEffect, useRef } from "react";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useScheme } from "../ui/scheme";

interface Props {
  label: string;
  /** As yyyy-mm-dd. */
  days: string[];
  values: number[];
  words: (value: number) => string;
}

const height = 240;
const day = 86_400;

/** Bars by day. The table beside says the same to who cannot see it. */
export function Chart({ label, days, values, words }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const times = days.map((d) => Date.parse(d) / 1000);
  const key = JSON.stringify([useScheme(), label, times, values]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: key stands for the data and the colours
  useEffect(() => {
    const el = box.current;
    if (!el) {
      return;
    }
    const style = getComputedStyle(el);
    const [first = 0, last = 0] = [times[0], times.at(-1)];
    const axis = {
      stroke: style.color,
      font: `12px ${style.fontFamily}`,
      grid: { stroke: style.borderColor, width: 1 },
      ticks: { show: false },
    };
    const plot = new UPlot(
      {
        width: el.clientWidth,
        height,
        legend: { show: false },
        scales: {
          x: { range: [Math.min(first, last - 13 * day) - day / 2, last + day / 2] },
          y: { range: [0, null] as never },
        },
        axes: [axis, { ...axis, size: 60, values: (_, ticks) => ticks.map(words) }],
        series: [
          {},
          {
            label,
            points: { show: false },
            fill: style.accentColor,
            paths: UPlot.paths.bars?.({ size: [0.6, 60] }),
          },
        ],
      },
      [times, values],
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
    <div
      ref={box}
      role="img"
      aria-label={`${label} by day`}
      className="border-line text-soft accent-accent"
    />
  );
}
