import { useCallback } from "react";
import { Link } from "wouter";
import { whoAmI } from "../api/me";
import { type Attempt, discardJob, type Job, listJobs, mostJobs, retryJob } from "../api/operations";
import { duration, exactTime } from "../thread/format";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { Choices } from "../ui/choices";
import { ConfirmButton } from "../ui/confirm";
import { Fold } from "../ui/fold";
import { useLoaded } from "../ui/loaded";
import { Notice } from "../ui/notice";
import { words } from "../words/operations";
import { chatOf, runPath, useAddress, userOf } from "./address";
import { JobFilters, jobFilterNames } from "./jobfilters";

const say = words.jobs;

type Filter = keyof typeof say.filters;

const looks: Record<Job["state"], string> = {
  running: "bg-run-wash text-run",
  ready: "bg-hover text-soft",
  blocked: "bg-hover text-soft",
  dead: "bg-bad-wash text-bad",
};

export function Jobs() {
  const { values, change } = useAddress(["state", ...jobFilterNames] as const);
  const asked = JSON.stringify({ trigger: values.trigger, userId: values.user });
  const load = useCallback(() => {
    const query = Object.entries(JSON.parse(asked) as Record<string, string>).filter(([, v]) => v);
    return listJobs(new URLSearchParams(query));
  }, [asked]);
  const { value, error, reload } = useLoaded(load, 2000);
  const state = (Object.hasOwn(say.filters, values.state) ? values.state : "all") as Filter;
  const all = value ?? [];
  const of = (filter: Filter) => (filter === "all" ? all : all.filter((j) => j.state === filter));
  const waiting = all.length - of("dead").length;
  const isCut = (filter: Filter) =>
    (filter !== "dead" && waiting >= mostJobs) ||
    ((filter === "dead" || filter === "all") && of("dead").length >= mostJobs);
  const shown = of(state);
  return (
    <div className="space-y-3">
      <Choices
        quiet
        legend={say.legend}
        options={(Object.keys(say.filters) as Filter[]).map((f) => ({
          value: f,
          label: say.count(say.filters[f], of(f).length, isCut(f)),
        }))}
        value={state}
        onChange={(to) => change({ state: to === "all" ? "" : to })}
      />
      <JobFilters filters={values} onChange={change} />
      {error && <Notice text={error} />}
      {value && shown.length === 0 && (
        <p className="rounded-xl border border-dashed border-line p-6 text-center text-sm text-faint">
          {values.trigger || values.user || state !== "all" ? say.none : say.empty}
        </p>
      )}
      {shown.some((j) => j.state === "dead") && <p className="max-w-3xl text-sm text-soft">{say.help}</p>}
      {shown.length > 0 && (
        <ul aria-label={say.caption} className="divide-y divide-line rounded-xl border border-line">
          {shown.map((j) => (
            <Row key={j.id} job={j} onChanged={reload} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Row({ job: j, onChanged }: { job: Job; onChanged: () => void }) {
  const { busy, error, run } = useAction();
  const act = async (fn: () => Promise<unknown>) => {
    if (await run(fn)) {
      onChanged();
    }
  };
  const attempts = j.attempts ?? [];
  return (
    <li aria-label={j.trigger} className="space-y-1.5 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className={`rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap ${looks[j.state]}`}>
          {say.states[j.state]}
        </span>
        <Link
          href={`/operations/triggers#${j.trigger}`}
          className="min-w-0 text-sm font-medium break-all hover:underline"
        >
          {j.trigger}
        </Link>
        <Standing job={j} />
        {j.state === "dead" && (
          <div className="flex gap-2 sm:ml-auto">
            <Button disabled={busy} onClick={() => act(() => retryJob(j.id))}>
              {say.retry}
            </Button>
            <ConfirmButton
              label={say.discard}
              sure={say.sure}
              disabled={busy}
              onConfirm={() => void act(() => discardJob(j.id))}
            />
          </div>
        )}
      </div>
      <Cause job={j} />
      {j.error && <p className="line-clamp-4 text-xs break-words whitespace-pre-wrap text-bad">{j.error}</p>}
      {attempts.length > 0 && (
        <Fold summary={say.attempts(attempts.length)}>
          <ol className="space-y-1.5 border-l border-line pl-3">
            {attempts.toReversed().map((a) => (
              <Tried key={`${a.endedAt} ${a.attempt}`} attempt={a} />
            ))}
          </ol>
        </Fold>
      )}
      {error && <Notice text={error} />}
    </li>
  );
}

/** Since when it is there, and what it waits for. */
function Standing({ job: j }: { job: Job }) {
  const facts = [
    say.since(exactTime(j.createdAt)),
    j.attempt > 0 && say.attempt(j.attempt),
    j.owner && say.node(j.owner),
    j.state === "ready" && j.attempt > 0 && say.next(exactTime(j.runAt)),
    j.state === "blocked" && say.behind,
  ].filter(Boolean);
  return <span className="text-xs break-words text-faint">{facts.join(" · ")}</span>;
}

/** The document that caused it, and where that can be looked at: people see their own chats. */
function Cause({ job: j }: { job: Job }) {
  const me = useLoaded(whoAmI).value;
  const chat = chatOf(j.change.path);
  const run = j.run && userOf(j.run) === me?.id ? j.run.split("/").at(-1) : undefined;
  return (
    <p className="flex flex-wrap gap-x-3 gap-y-1 text-xs">
      <span className="min-w-0 text-soft">
        {say.cause[j.change.type]} <code className="font-mono break-all text-faint">{j.change.path}</code>
      </span>
      {chat && chat.user === me?.id && (
        <Link href={chat.href} className="font-medium text-accent hover:underline">
          {say.openChat}
        </Link>
      )}
      {run && (
        <Link href={runPath(run, chat?.chatId)} className="font-medium text-accent hover:underline">
          {say.openRun}
        </Link>
      )}
    </p>
  );
}

function Tried({ attempt: a }: { attempt: Attempt }) {
  const facts = [
    exactTime(a.beganAt ?? a.endedAt),
    a.beganAt && say.took(duration(a.endedAt - a.beganAt)),
    a.node && say.node(a.node),
  ].filter(Boolean);
  return (
    <li className="text-xs">
      <span className="font-medium">{say.attemptOf(a.attempt)}</span>{" "}
      <span className="text-faint">{facts.join(" · ")}</span>
      <p className="break-words whitespace-pre-wrap text-bad">{a.error}</p>
    </li>
  );
}
