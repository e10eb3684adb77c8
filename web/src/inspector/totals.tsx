import type { SubAgent, Task } from "../api/types";
import { cost, duration, tokens } from "../thread/format";
import { useNow } from "../ui/now";
import { words } from "../words/inspector";

const say = words;

interface Props {
  agent?: SubAgent;
  task?: Task;
  helpers: number;
  /** By the agent and its helpers together. */
  used: { tokens: number; micros: number };
}

/** What an agent used so far, and with all that work for it. */
export function Totals({ agent, task, helpers, used }: Props) {
  const running = task?.status === "running";
  const now = useNow(running);
  const usage = agent?.usage ?? task?.usage;
  const started = task?.startedAt ?? task?.createdAt ?? 0;
  const ended = task?.endedAt ?? (running ? now : (task?.updatedAt ?? 0));
  const steps = agent?.iterationCount ?? task?.steps ?? 0;
  const facts: [string, string, string?][] = [
    [say.facts.steps, agent?.iterationLimit ? say.stepsOf(steps, agent.iterationLimit) : `${steps}`],
    [say.facts.tokens, tokens(usage), usage ? say.inOut(usage.inputTokens, usage.outputTokens) : ""],
    [say.facts.cost, cost(agent?.costMicros ?? task?.costMicros)],
    [
      say.facts.time,
      duration(Math.max(0, ended - started)),
      agent?.modelMs ? say.inModel(duration(agent.modelMs)) : "",
    ],
    [say.facts.model, agent?.model ?? say.noModel],
  ];
  if (helpers > 0) {
    facts.push([say.withHelpers(helpers), `${say.tokens(tokens(used.tokens))} · ${cost(used.micros)}`]);
  }
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
