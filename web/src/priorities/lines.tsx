import { type RefObject, useLayoutEffect, useState } from "react";
import type { Plan } from "../api/priorities";
import { type Box, type Line, linesOf } from "./layout";

interface Props {
  board: RefObject<HTMLDivElement | null>;
  /** The task that is looked at. */
  lit?: string;
  plan: Plan;
}

/** Draws what the task that is looked at depends on, and what depends on it. */
export function Lines({ board, lit, plan }: Props) {
  const [lines, setLines] = useState<Line[]>([]);
  useLayoutEffect(() => {
    const area = board.current;
    if (!area || !lit) {
      setLines([]);
      return;
    }
    const draw = () => setLines(linesOf(lit, plan.dependencies, boxesIn(area)));
    const observer = new ResizeObserver(draw);
    observer.observe(area);
    draw();
    return () => observer.disconnect();
  }, [board, lit, plan]);
  if (lines.length === 0) {
    return null;
  }
  return (
    <svg
      aria-hidden="true"
      className="pointer-events-none absolute inset-0 size-full overflow-visible"
      data-lines
    >
      <defs>
        <marker id="after" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path d="M0 0L8 4L0 8z" className="fill-accent" />
        </marker>
      </defs>
      {lines.map((l) => (
        <path
          key={`${l.from} ${l.to}`}
          data-from={l.from}
          data-to={l.to}
          d={l.path}
          className="fill-none stroke-accent stroke-2"
          markerEnd="url(#after)"
        />
      ))}
    </svg>
  );
}

/** Where the cards lie, measured from the board. */
function boxesIn(area: HTMLElement): Map<string, Box> {
  const origin = area.getBoundingClientRect();
  const cards = [...area.querySelectorAll<HTMLElement>("[data-card]")];
  return new Map(
    cards.map((card) => {
      const { left, top, width, height } = card.getBoundingClientRect();
      return [card.dataset.card ?? "", { left: left - origin.left, top: top - origin.top, width, height }];
    }),
  );
}
