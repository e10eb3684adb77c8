import { Link2, X } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useState } from "react";
import { type RunStep, readPrompt, readStep, type Source } from "../api/runs";
import { cost, duration, exactTime, pretty, tokens } from "../thread/format";
import { Button, IconButton } from "../ui/button";
import { CodeBlock } from "../ui/code";
import { CopyButton } from "../ui/copy";
import { Fold } from "../ui/fold";
import { useLoaded } from "../ui/loaded";
import { Markdown } from "../ui/markdown";
import { Notice } from "../ui/notice";
import { words } from "../words";
import { titleOf } from "./rowlabel";
import type { Node } from "./tree";

const say = words.runs;

interface Props {
  source: Source;
  node: Node;
  onClose: () => void;
  /** What can be done about the step, if its reader may do anything. */
  children?: ReactNode;
}

/** All that is known of a row. */
export function Detail({ source, node, onClose, children }: Props) {
  const { row } = node;
  const { run, token } = source;
  const load = useCallback(
    // A row changes while it is under way, and the orchestrator's row has no document.
    () => (row.id === "orchestrator" ? Promise.resolve(undefined) : readStep({ run, token }, row.id)),
    [run, token, row.id],
  );
  const { value: step, error, reload } = useLoaded<RunStep | undefined>(load);
  const ended = row.endedAt ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: there is more to tell of a row that has ended
  useEffect(() => {
    void reload();
  }, [ended, row.status, reload]);
  const { name, about } = titleOf(row);
  return (
    <aside
      aria-label={say.step}
      onKeyDown={(e) => e.key === "Escape" && onClose()}
      className="flex min-h-0 flex-col border-line bg-panel max-lg:fixed max-lg:inset-0 max-lg:z-20 lg:w-[24rem] lg:shrink-0 lg:border-l 2xl:w-[32rem]"
    >
      <header className="flex items-center gap-2 border-b border-line px-4 py-2">
        <h2 className="min-w-0 flex-1 truncate text-sm font-semibold">{name}</h2>
        <IconButton label={say.copyLink} onClick={() => void navigator.clipboard.writeText(location.href)}>
          <Link2 size={15} />
        </IconButton>
        <IconButton label={say.closeStep} onClick={onClose}>
          <X size={16} />
        </IconButton>
      </header>
      <div className="min-h-0 flex-1 space-y-4 overflow-y-auto p-4 text-sm">
        {error && <Notice text={error} />}
        <Facts node={node} />
        {children}
        {step?.error && (
          <Part title={say.error}>
            <p className="rounded-lg bg-bad-wash px-3 py-2 break-words whitespace-pre-wrap text-bad">
              {step.error}
            </p>
          </Part>
        )}
        {step?.reasoning && (
          <Part title={say.reasoning} copy={step.reasoning}>
            <p className="whitespace-pre-wrap text-soft">{step.reasoning}</p>
          </Part>
        )}
        {step?.text && (
          <Part title={row.kind === "agent" ? say.instruction : say.said} copy={step.text}>
            {row.kind === "model" ? (
              <Markdown text={step.text} />
            ) : (
              <p className="whitespace-pre-wrap">{step.text}</p>
            )}
          </Part>
        )}
        {step?.calls && step.calls.length > 0 && (
          <Part title={say.calls}>
            {step.calls.map((call, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: calls never change their order
              <div key={i} className="space-y-1">
                <code className="text-xs font-medium">{call.name}</code>
                <CodeBlock text={pretty(call.arguments)} language="json" />
              </div>
            ))}
          </Part>
        )}
        {step?.args !== undefined && step.args !== null && (
          <Part title={say.args}>
            <CodeBlock text={pretty(step.args)} language="json" />
          </Part>
        )}
        {step?.result && (
          <Part title={say.result} copy={step.result}>
            {row.kind === "agent" ? (
              <Markdown text={step.result} />
            ) : (
              <CodeBlock text={pretty(step.result)} language="json" />
            )}
          </Part>
        )}
        {step?.files && step.files.length > 0 && <Part title={say.files}>{step.files.join(", ")}</Part>}
        {step?.decisions && step.decisions.length > 0 && (
          <Part title={say.decisions}>
            {step.decisions.map((d) => (
              <p key={d.at}>{say.decided(d.action, d.reason ?? "")}</p>
            ))}
          </Part>
        )}
        {step && !step.text && !step.result && !step.error && !step.args && !step.calls && about === "" && (
          <p className="text-faint">{say.nothing}</p>
        )}
        {run && row.kind === "model" && row.for !== "summary" && row.id.includes("/messages/") && (
          <Prompt key={row.id} run={run} row={row.id} />
        )}
      </div>
    </aside>
  );
}

function Part({ title, copy, children }: { title: string; copy?: string; children: ReactNode }) {
  return (
    <section className="space-y-1.5">
      <div className="flex items-center gap-1">
        <h3 className="text-xs font-semibold text-faint">{title}</h3>
        {copy && <CopyButton text={copy} />}
      </div>
      {children}
    </section>
  );
}

/** Numbers and times of a row, and of all below it. */
function Facts({ node: { row, totals, children, from, to } }: { node: Node }) {
  const began = row.beganAt ?? 0;
  const facts: [string, string][] = [
    [say.facts.status, say.status[row.status]],
    [say.facts.began, exactTime(began || from)],
    [say.facts.took, duration(to - (began || from))],
  ];
  if (began > from) {
    facts.push([say.facts.queued, duration(began - from)]);
  }
  if (row.firstAt) {
    facts.push([say.facts.first, duration(row.firstAt - began)]);
  }
  if (row.kind === "model" && row.name) {
    facts.push([say.facts.model, row.name]);
  }
  if (row.usage) {
    facts.push([say.facts.tokens, tokens(row.usage)]);
  }
  if (row.costMicros) {
    facts.push([say.facts.cost, cost(row.costMicros)]);
  }
  if (row.retries) {
    facts.push([say.facts.retries, `${row.retries}×`]);
  }
  if (children.length > 0) {
    const sum = [say.tokens(tokens(totals.tokens)), cost(totals.costMicros), say.errors(totals.errors)];
    facts.push([say.facts.below, sum.join(" · ")]);
  }
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-0.5">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-faint">{name}</dt>
          <dd className="truncate">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What the model was asked, when somebody wants to see it. */
function Prompt({ run, row }: { run: string; row: string }) {
  const [wanted, setWanted] = useState(false);
  if (!wanted) {
    return <Button onClick={() => setWanted(true)}>{say.showPrompt}</Button>;
  }
  return <Asked run={run} row={row} />;
}

function Asked({ run, row }: { run: string; row: string }) {
  const load = useCallback(() => readPrompt(run, row), [run, row]);
  const { value, error } = useLoaded(load);
  if (error) {
    return <Notice text={error} />;
  }
  if (!value) {
    return null;
  }
  return (
    <section aria-label={say.prompt} className="space-y-2">
      <h3 className="text-xs font-semibold text-faint">{say.prompt}</h3>
      <p className="rounded-lg bg-hover px-3 py-2 text-xs text-soft">{say.rebuilt}</p>
      <Fold summary={say.system}>
        <p className="rounded-lg bg-page p-3 whitespace-pre-wrap">{value.system}</p>
      </Fold>
      {value.messages.map((m, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a prompt does not change
        <div key={i} className="rounded-lg border border-line bg-page p-3">
          <p className="text-xs font-medium text-faint">{m.tool ? `${m.role} · ${m.tool}` : m.role}</p>
          {m.text && <p className="break-words whitespace-pre-wrap">{m.text}</p>}
          {m.calls?.map((c) => (
            <code key={c.name + c.arguments} className="block text-xs break-all">
              {c.name} {c.arguments}
            </code>
          ))}
          {m.files && <p className="text-xs text-soft">{m.files.join(", ")}</p>}
        </div>
      ))}
      {value.tools.length > 0 && (
        <p className="text-xs text-soft">
          {say.tools}: {value.tools.join(", ")}
        </p>
      )}
    </section>
  );
}
