import { CircleHelp, CirclePause, Network, ShieldQuestion, Unplug } from "lucide-react";
import type { Task } from "../api/types";
import { HelperLink } from "../chat/helpers";
import type { Ask } from "../decisions/asks";
import { isEnded } from "../thread/tree";
import { words } from "../words/inspector";

const say = words;

interface Props {
  task?: Task;
  /** All below the task. */
  helpers: readonly Task[];
  /** What the agent and its helpers wait for. */
  asks: readonly Ask[];
}

/** Why an agent does not go on. */
export function Banner({ task, helpers, asks }: Props) {
  if (!task) {
    return null;
  }
  const own = asks.filter((a) => a.task === task);
  const asking = [...new Set(asks.filter((a) => a.task !== task && a.kind !== "client").map((a) => a.task))];
  return (
    <>
      <Own task={task} asks={own} helpers={helpers.filter((t) => !asking.includes(t))} />
      {asking.length > 0 && (
        <Strip icon={<CircleHelp size={17} aria-hidden />}>
          <strong>{say.helpersAsk(asking.length)}</strong> <Names tasks={asking} wanted />
        </Strip>
      )}
    </>
  );
}

function Own({ task, asks, helpers }: Props & { task: Task }) {
  const names = (kind: Ask["kind"]) =>
    asks.flatMap((a) => (a.kind === kind && a.kind !== "question" ? [a.call.toolName] : [])).join(", ");
  if (task.status === "waiting") {
    return (
      <Strip icon={<CircleHelp size={17} aria-hidden />}>
        <strong>{say.waitsForAnswer}</strong> {say.answerBelow}
      </Strip>
    );
  }
  if (names("call")) {
    return (
      <Strip icon={<ShieldQuestion size={17} aria-hidden />}>
        <strong>{say.waitsForDecision}</strong> {say.aboutCalls(names("call"))}
      </Strip>
    );
  }
  if (task.paused && task.status === "running") {
    return (
      <Strip icon={<CirclePause size={17} aria-hidden />}>
        <strong>{say.paused}</strong> {say.pausedMore}
      </Strip>
    );
  }
  if (names("client")) {
    return (
      <Strip icon={<Unplug size={17} aria-hidden />}>
        <strong>{say.waitsForClient}</strong> {say.toRun(names("client"))}
      </Strip>
    );
  }
  const open = helpers.filter((t) => t.parentAgentId === task.subAgentId && !isEnded(t));
  if (task.status === "running" && open.length > 0) {
    return (
      <Strip quiet icon={<Network size={17} aria-hidden />}>
        <strong>{say.waitsForHelpers}</strong> <Names tasks={open} />
      </Strip>
    );
  }
  return null;
}

function Names({ tasks, wanted = false }: { tasks: readonly Task[]; wanted?: boolean }) {
  return (
    <span className="inline-flex max-w-full flex-wrap gap-x-3 align-bottom">
      {tasks.map((t) => (
        <HelperLink key={t.id} task={t} wanted={wanted} />
      ))}
    </span>
  );
}

interface StripProps {
  icon: React.ReactNode;
  children: React.ReactNode;
  /** Nobody has to do anything. */
  quiet?: boolean;
}

function Strip({ icon, children, quiet }: StripProps) {
  const look = quiet
    ? "border-line bg-raised [&>svg]:text-soft"
    : "border-wait/30 bg-wait-wash [&>svg]:text-wait";
  return (
    <div
      role="status"
      className={`flex gap-2 border-b px-4 py-2 text-sm [&>svg]:mt-0.5 [&>svg]:shrink-0 ${look}`}
    >
      {icon}
      <p className="min-w-0">{children}</p>
    </div>
  );
}
