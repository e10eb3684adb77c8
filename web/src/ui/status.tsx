import {
  Ban,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleHelp,
  CirclePause,
  CircleSlash,
  LoaderCircle,
  ShieldQuestion,
} from "lucide-react";
import type { ComponentType } from "react";
import type { CallStatus, Task, TaskStatus } from "../api/types";

type Status = TaskStatus | CallStatus | "paused" | "could_not";

interface Look {
  icon: ComponentType<{ size?: number; className?: string }>;
  words: string;
  text: string;
  wash: string;
}

const quiet = { text: "text-faint", wash: "bg-hover" };
const busy = { text: "text-run", wash: "bg-run-wash" };
const good = { text: "text-good", wash: "bg-good-wash" };
const bad = { text: "text-bad", wash: "bg-bad-wash" };
const wait = { text: "text-wait", wash: "bg-wait-wash" };

const looks: Record<Status, Look> = {
  pending: { icon: CircleDashed, words: "Pending", ...quiet },
  running: { icon: LoaderCircle, words: "Running", ...busy },
  waiting: { icon: CircleHelp, words: "Waiting for you", ...wait },
  awaiting_approval: { icon: ShieldQuestion, words: "Needs a decision", ...wait },
  unknown: { icon: CircleHelp, words: "Unknown effect", ...wait },
  paused: { icon: CirclePause, words: "Paused", ...wait },
  success: { icon: CircleCheck, words: "Done", ...good },
  failed: { icon: CircleAlert, words: "Failed", ...bad },
  could_not: { icon: CircleSlash, words: "Could not", ...wait },
  cancelled: { icon: Ban, words: "Cancelled", ...quiet },
  skipped: { icon: Ban, words: "Skipped", ...quiet },
};

export const isStatus = (text: string): text is Status => Object.hasOwn(looks, text);

/** Whether its agent says that it could not be done; nothing broke then. */
export const couldNot = (task: Task) => task.status === "failed" && task.outcome === "could_not";

/** How a task stands, of which so many calls wait for a person. */
export function statusOf(task: Task, undecided = 0): Status {
  if (undecided > 0) {
    return "awaiting_approval";
  }
  if (couldNot(task)) {
    return "could_not";
  }
  return task.paused && (task.status === "running" || task.status === "pending") ? "paused" : task.status;
}

export function StatusIcon({ status, size = 15 }: { status: Status; size?: number }) {
  const { icon: Icon, words, text } = looks[status];
  return (
    <span role="img" aria-label={words} title={words} className={`inline-flex shrink-0 ${text}`}>
      <Icon size={size} className={status === "running" ? "animate-spin" : ""} />
    </span>
  );
}

export function StatusPill({ status }: { status: Status }) {
  const { icon: Icon, words, text, wash } = looks[status];
  return (
    <span
      className={`inline-flex items-center gap-1 rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap ${text} ${wash}`}
    >
      <Icon size={12} className={status === "running" ? "animate-spin" : ""} />
      {words}
    </span>
  );
}
