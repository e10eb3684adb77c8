import { CircleHelp, LoaderCircle } from "lucide-react";
import type { Activity } from "../data/activity";
import { words } from "../words";

const say = words.sidebar;

/** How a chat stands: somebody is waited for, something is at work, or there is something new. */
export function Marker({ state, unread }: { state: Activity["state"]; unread: boolean }) {
  if (state === "waiting") {
    return (
      <span role="img" aria-label={say.waiting} title={say.waiting} className="px-1 text-wait">
        <CircleHelp size={14} />
      </span>
    );
  }
  if (state === "running") {
    return (
      <span role="img" aria-label={say.running} title={say.running} className="px-1 text-run">
        <LoaderCircle size={14} className="animate-spin" />
      </span>
    );
  }
  return unread ? (
    <span role="img" aria-label={say.unread} title={say.unread} className="px-1.5">
      <span className="block size-2 rounded-full bg-accent" />
    </span>
  ) : null;
}
