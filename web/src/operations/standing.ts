import { useCallback } from "react";
import { listJobs, listTriggers } from "../api/operations";
import { useLoaded } from "../ui/loaded";

/** What an administrator should look at: triggers that are off, and jobs that were given up. */
export interface Standing {
  off: string[];
  dead: number;
}

const none: Standing = { off: [], dead: 0 };

export function useStanding(admin: boolean): Standing {
  const load = useCallback(async (): Promise<Standing> => {
    if (!admin) {
      return none;
    }
    const [triggers, jobs] = await Promise.all([listTriggers(), listJobs(new URLSearchParams())]);
    return {
      off: triggers.items.filter((t) => t.enabled === false).map((t) => t.id),
      dead: jobs.filter((j) => j.state === "dead").length,
    };
  }, [admin]);
  return useLoaded(load, 5000).value ?? none;
}
