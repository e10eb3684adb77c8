import type { Turn } from "../api/graphs";

/** How the state of a turn or run looks, in the words of the app's status. */
export function statusOf(status: Turn["status"]): "running" | "success" | "failed" | "cancelled" | "paused" {
  switch (status) {
    case "completed":
      return "success";
    case "failed":
    case "cancelled":
    case "paused":
      return status;
    default:
      return "running";
  }
}

export const portColour = (type: string | undefined) => `var(--port-${type}, var(--color-edge))`;
