import { useCallback, useState } from "react";
import { explain } from "../api/http";

/** Runs what a person asked for: whether it is under way, and why it failed. */
export function useAction() {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const run = useCallback(async (work: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true);
    setError("");
    try {
      await work();
      return true;
    } catch (e) {
      setError(explain(e));
      return false;
    } finally {
      setBusy(false);
    }
  }, []);
  return { busy, error, run, clear: () => setError("") };
}
