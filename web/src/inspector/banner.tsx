import { CircleHelp, CirclePause, ShieldQuestion } from "lucide-react";
import type { Task, ToolCall } from "../api/types";

/** Why an agent does not go on. */
export function Banner({ task, waiting }: { task?: Task; waiting: ToolCall[] }) {
  if (task?.status === "waiting") {
    return (
      <Strip icon={<CircleHelp size={17} aria-hidden />}>
        <strong>Waiting for your answer.</strong> {task.question} Answer in the main chat.
      </Strip>
    );
  }
  if (waiting.length > 0) {
    const names = waiting.map((c) => c.toolName).join(", ");
    return (
      <Strip icon={<ShieldQuestion size={17} aria-hidden />}>
        <strong>Waiting for your decision</strong> about {names}, below.
      </Strip>
    );
  }
  if (task?.paused && task.status === "running") {
    return (
      <Strip icon={<CirclePause size={17} aria-hidden />}>
        <strong>Paused.</strong> The agent finishes its current step and then rests until you resume it.
      </Strip>
    );
  }
  return null;
}

function Strip({ icon, children }: { icon: React.ReactNode; children: React.ReactNode }) {
  return (
    <div
      role="status"
      className="flex gap-2 border-b border-wait/30 bg-wait-wash px-4 py-2 text-sm [&>svg]:mt-0.5 [&>svg]:shrink-0 [&>svg]:text-wait"
    >
      {icon}
      <p>{children}</p>
    </div>
  );
}
