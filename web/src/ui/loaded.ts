import { useCallback, useEffect, useState } from "react";
import { explain } from "../api/http";

/** What a request answers, with a way to ask again. */
export function useLoaded<T>(load: () => Promise<T>, everyMs?: number) {
  const [value, setValue] = useState<T>();
  const [error, setError] = useState("");
  const reload = useCallback(async () => {
    try {
      setValue(await load());
      setError("");
    } catch (e) {
      setError(explain(e));
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
