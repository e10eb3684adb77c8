import type { SubAgent, Task } from "../api/types";
import { cost, duration, tokens } from "../thread/format";
import { useNow } from "../ui/now";

/** What an agent used so far. */
export function Totals({ agent, task }: { agent?: SubAgent; task?: Task }) {
  const running = task?.status === "running";
  const now = useNow(running);
  const usage = agent?.usage ?? task?.usage;
  const started = task?.startedAt ?? task?.createdAt ?? 0;
  const ended = task?.endedAt ?? (running ? now : (task?.updatedAt ?? 0));
  const steps = agent?.iterationCount ?? task?.steps ?? 0;
  const facts: [string, string, string?][] = [
    ["Steps", agent?.iterationLimit ? `${steps} of ${agent.iterationLimit}` : `${steps}`],
    ["Tokens", tokens(usage), usage ? `${usage.inputTokens} in, ${usage.outputTokens} out` : ""],
    ["Cost", cost(agent?.costMicros ?? task?.costMicros)],
    [
      "Time",
      duration(Math.max(0, ended - started)),
      agent?.modelMs ? `${duration(agent.modelMs)} in the model` : "",
    ],
    ["Model", agent?.model ?? "–"],
  ];
  return (
    <dl className="flex flex-wrap gap-x-4 gap-y-1 text-[13px]">
      {facts.map(([name, value, more]) => (
        <div key={name} title={more} className="flex gap-1.5">
          <dt className="text-faint">{name}</dt>
          <dd className="font-medium tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
