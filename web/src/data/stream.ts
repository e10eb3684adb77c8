import { getMe } from "../api/calls";
import type { ChangeEvent, DeltaEvent } from "../api/types";
import { apiPath } from "../base";
import { ownerId } from "./owner";

/** What the server tells, in the form that tabs pass on to each other. */
export type LiveEvent =
  | { kind: "change"; change: ChangeEvent }
  | { kind: "delta"; delta: DeltaEvent }
  /** The connection stands. All drafts are void when the server counts them anew. */
  | { kind: "open"; anew: boolean }
  /** What was missed is not known: everything is to be read again. */
  | { kind: "resync" }
  | { kind: "closed" };

const firstPause = 500;
const longestPause = 10_000;

/**
 * Follows everything of the owner until stopped, and of nobody else, whoever is
 * signed in. It comes back by itself, at the exact event, whatever happens to
 * the connection.
 */
export function follow(emit: (event: LiveEvent) => void): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let position = "";
  let pause = firstPause;

  function open() {
    clearTimeout(timer);
    source?.close();
    const before = position;
    const params = new URLSearchParams({
      path: `users/${ownerId()}/**`,
      ...(position && { from: position }),
    });
    source = new EventSource(`${apiPath}/stream?${params}`);
    let told = false;
    const seen = (e: MessageEvent<string>) => {
      // What was missed comes first, with the old epoch: it can change with any event.
      const anew = differ(epoch(position), epoch(e.lastEventId));
      if (anew || (!told && before)) {
        told = true;
        emit({ kind: "open", anew });
      }
      position = e.lastEventId || position;
    };
    source.addEventListener("open", () => {
      pause = firstPause;
      emit({ kind: "open", anew: false });
    });
    source.addEventListener("change", (e: MessageEvent<string>) => {
      seen(e);
      emit({ kind: "change", change: JSON.parse(e.data) as ChangeEvent });
    });
    source.addEventListener("delta", (e: MessageEvent<string>) => {
      seen(e);
      emit({ kind: "delta", delta: JSON.parse(e.data) as DeltaEvent });
    });
    source.addEventListener("resync", () => {
      position = "";
      emit({ kind: "resync" });
      open();
    });
    source.addEventListener("error", () => {
      source?.close();
      emit({ kind: "closed" });
      timer = setTimeout(
        () =>
          getMe()
            .catch(() => {})
            .then(open),
        pause,
      ); // the session may have to be renewed
      pause = Math.min(pause * 2, longestPause);
    });
  }

  const now = () => {
    if (source?.readyState === EventSource.CLOSED) {
      pause = firstPause;
      open();
    }
  };
  open();
  window.addEventListener("online", now);
  document.addEventListener("visibilitychange", now);
  return () => {
    clearTimeout(timer);
    source?.close();
    window.removeEventListener("online", now);
    document.removeEventListener("visibilitychange", now);
  };
}

/** Under which name the drafts of a position are; see internal/feed/position.go. */
function epoch(position: string): string {
  return position.split(".")[1] ?? "";
}

const differ = (a: string, b: string) => a !== "" && b !== "" && a !== b;
