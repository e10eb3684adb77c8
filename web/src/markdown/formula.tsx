import { useLayoutEffect, useRef, useState } from "react";
import { inTurn } from "../ui/turns";
import type { Draw } from "./katex";

/** Loaded with the first formula. */
let loading: Promise<Draw> | undefined;
let loaded: Draw | undefined;

function load(): Promise<Draw> {
  loading ??= import("./katex").then((m) => {
    loaded = m.draw;
    return m.draw;
  });
  loading.catch(() => {
    loading = undefined; // the next formula tries again
  });
  return loading;
}

/** A formula in TeX; its source until it is drawn, and when it makes no sense. */
export function Formula({ source, display }: { source: string; display: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  const [state, setState] = useState<"source" | "drawn" | { error: string }>("source");
  useLayoutEffect(() => {
    let stop = () => {};
    let current = true;
    const show = (draw: Draw) => {
      stop = inTurn(() => {
        const error = place.current ? draw(source, display, place.current) : "";
        setState(error ? { error } : "drawn");
      });
    };
    if (loaded) {
      show(loaded); // before the page is painted, if they are few: a formula does not flicker when more text comes
    } else {
      load().then(
        (draw) => current && show(draw),
        () => {},
      );
    }
    return () => {
      current = false;
      stop();
    };
  }, [source, display]);
  const failed = typeof state === "object";
  return (
    <span
      data-formula={failed ? "failed" : state}
      className={display ? "block overflow-x-auto overflow-y-hidden py-1" : ""}
      tabIndex={display ? 0 : undefined} // what scrolls must be reachable by keyboard
    >
      <span ref={place} hidden={state !== "drawn"} />
      {state !== "drawn" && <code title={failed ? state.error : undefined}>{source}</code>}
    </span>
  );
}
