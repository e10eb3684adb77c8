import { useCallback, useEffect, useRef, useState } from "react";
import { explain } from "../api/http";
import { latest } from "./latest";
import { live } from "./store";

/**
 * What a request answers, asked again whenever the stream of events tells of a
 * change in one of the collections, or begins anew. All tabs get the same
 * stream, so all follow.
 */
export function useFollowed<T>(load: () => Promise<T>, collections: readonly string[]) {
  const [value, setValue] = useState<T>();
  const [error, setError] = useState("");
  const asking = useRef<() => Promise<void>>(undefined);
  useEffect(() => {
    let gone = false;
    const ask = latest(async () => {
      const [answer, problem] = await load().then(
        (v) => [v, ""] as const,
        (e: unknown) => [undefined, explain(e)] as const,
      );
      if (!gone) {
        setError(problem);
        setValue((before) => answer ?? before);
      }
    });
    asking.current = ask;
    let begun = live.begun;
    const stops = [
      live.watch((change) => {
        if (collections.includes(change.collection)) {
          void ask();
        }
      }),
      live.subscribe(() => {
        if (live.begun !== begun) {
          begun = live.begun;
          void ask();
        }
      }),
    ];
    void ask();
    return () => {
      gone = true;
      for (const stop of stops) {
        stop();
      }
    };
  }, [load, collections]);
  const reload = useCallback(async () => asking.current?.(), []);
  return { value, error, reload, show: setValue };
}
