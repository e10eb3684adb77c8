import { useCallback, useEffect, useRef, useState } from "react";
import { explain } from "../api/http";

/** What a request answers, with a way to ask again. An answer that a later one overtook is dropped. */
export function useLoaded<T>(load: () => Promise<T>, everyMs?: number) {
  const [value, setValue] = useState<T>();
  const [error, setError] = useState("");
  const newest = useRef(0);
  const reload = useCallback(async () => {
    newest.current += 1;
    const mine = newest.current;
    try {
      const answer = await load();
      if (mine === newest.current) {
        setValue(answer);
        setError("");
      }
    } catch (e) {
      if (mine === newest.current) {
        setError(explain(e));
      }
    }
  }, [load]);
  useEffect(() => {
    void reload();
    if (everyMs) {
      const timer = setInterval(reload, everyMs);
      return () => clearInterval(timer);
    }
  }, [reload, everyMs]);
  return { value, error, reload };
}
