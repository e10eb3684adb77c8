import type { KeyboardEvent, PointerEvent } from "react";
import { sidebarWidths } from "../data/settings";
import { words } from "../words";
import { useLook } from "./look";

const { least, most, usual } = sidebarWidths;
const bounded = (width: number) => Math.round(Math.min(most, Math.max(least, width)));

/** The edge of the side bar, to be dragged, or moved with the arrow keys. */
export function ResizeHandle() {
  const [{ width }, setLook] = useLook();
  const resize = (to: number) => setLook((look) => ({ ...look, width: bounded(to) }));
  const onPointerMove = (e: PointerEvent<HTMLDivElement>) => {
    if (e.currentTarget.hasPointerCapture(e.pointerId)) {
      resize(e.clientX);
    }
  };
  const onKeyDown = (e: KeyboardEvent) => {
    const to = { ArrowLeft: width - 16, ArrowRight: width + 16, Home: least, End: most }[e.key];
    if (to !== undefined) {
      e.preventDefault();
      resize(to);
    }
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: hr cannot be moved
    <div
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={words.sidebar.width}
      aria-valuenow={width}
      aria-valuemin={least}
      aria-valuemax={most}
      onPointerDown={(e) => e.currentTarget.setPointerCapture(e.pointerId)}
      onPointerMove={onPointerMove}
      onDoubleClick={() => resize(usual)}
      onKeyDown={onKeyDown}
      className="absolute inset-y-0 -right-1 z-10 w-2 cursor-col-resize touch-none hover:bg-accent/30 focus-visible:bg-accent/30 max-md:hidden"
    />
  );
}
