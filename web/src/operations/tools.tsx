import { useState } from "react";
import { whoAmI } from "../api/me";
import { listTools, type Tool, type ToolRun, tryTool } from "../api/operations";
import { duration, pretty } from "../thread/format";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { CodeBlock } from "../ui/code";
import { inputLook } from "../ui/field";
import { Fold } from "../ui/fold";
import { useLoaded } from "../ui/loaded";
import { Notice } from "../ui/notice";
import { words } from "../words";

const say = words.models.tools;

export function Tools() {
  const { value, error } = useLoaded(listTools);
  const admin = useLoaded(whoAmI).value?.admin ?? false;
  return (
    <div className="space-y-3">
      {error && <Notice text={error} />}
      {value?.problems?.map((p) => (
        <Notice key={p} text={p} />
      ))}
      {value?.items.length === 0 && <p className="text-sm text-faint">{say.none}</p>}
      {value?.items.map((tool) => (
        <Card key={tool.name} tool={tool} trial={admin} />
      ))}
    </div>
  );
}

function Card({ tool, trial }: { tool: Tool; trial: boolean }) {
  return (
    <section aria-label={tool.name} className="rounded-xl border border-line p-4">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="font-mono text-sm font-semibold">{tool.name}</h2>
        <span className="rounded-full bg-hover px-2 py-0.5 text-xs text-soft">{tool.effect}</span>
        {tool.needsApproval && (
          <span className="rounded-full bg-wait-wash px-2 py-0.5 text-xs text-wait">{say.needsApproval}</span>
        )}
        {tool.needs && (
          <span className="rounded-full bg-bad-wash px-2 py-0.5 text-xs text-bad">{say.notOffered}</span>
        )}
      </div>
      {tool.needs && <p className="mt-1 text-sm text-bad">{say.needs(tool.needs)}</p>}
      <p className="mt-1 mb-2 line-clamp-3 text-sm text-soft" title={tool.description}>
        {tool.description}
      </p>
      <Fold summary={say.schema}>
        <CodeBlock text={pretty(tool.parameters)} language="json" />
      </Fold>
      {trial && !tool.needs && (
        <Fold summary={say.trial} className="mt-1">
          <TryIt tool={tool} />
        </Fold>
      )}
    </section>
  );
}

function TryIt({ tool }: { tool: Tool }) {
  const [args, setArgs] = useState(() => template(tool.parameters));
  const [outcome, setOutcome] = useState<ToolRun>();
  const { busy, error, run } = useAction();
  return (
    <div className="space-y-2">
      <textarea
        aria-label={say.args(tool.name)}
        value={args}
        onChange={(e) => setArgs(e.target.value)}
        rows={args.split("\n").length + 1}
        className={`${inputLook} font-mono text-[13px]`}
      />
      <Button
        kind="primary"
        disabled={busy}
        onClick={() => run(async () => setOutcome(await tryTool(tool.name, JSON.parse(args) as unknown)))}
      >
        {busy ? say.running : say.run}
      </Button>
      {error && <Notice text={error} />}
      {outcome?.error && <Notice text={outcome.error} />}
      {outcome && (
        <div role="status">
          <p className="mb-1 text-xs text-faint">
            {say.outcome(outcome.status, duration(outcome.durationMs))}
          </p>
          {outcome.output && <CodeBlock text={pretty(outcome.output)} />}
        </div>
      )}
    </div>
  );
}

interface JsonSchema {
  properties?: Record<string, { type?: string }>;
  required?: string[];
}

/** Arguments to fill in: what is required, with an empty value of its type. */
function template(schema: unknown): string {
  const { properties = {}, required = [] } = schema as JsonSchema;
  const blank: Record<string, unknown> = { number: 0, integer: 0, boolean: false, array: [], object: {} };
  const fields = required.map((name) => [name, blank[properties[name]?.type ?? ""] ?? ""]);
  return JSON.stringify(Object.fromEntries(fields), null, 2);
}
