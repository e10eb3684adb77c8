import type { RunSummary } from "../api/graphs";

/** What can be done with a run. */
export interface Steering {
  pause: boolean;
  resume: boolean;
  cancel: boolean;
  rerun: boolean;
}

export const steeringOf = ({ status }: RunSummary): Steering => ({
  pause: status === "running",
  resume: status === "paused",
  cancel: status === "running" || status === "paused",
  rerun: ["completed", "failed", "cancelled"].includes(status),
});
