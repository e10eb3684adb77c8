import { useCallback, useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { whoAmI } from "../api/me";
import { cancelRun, listRuns, listServerRuns, type Run, retryTask } from "../api/operations";
import { useDocuments } from "../data/hooks";
import { live } from "../data/store";
import { chatPath, pages } from "../place";
import { cost, duration, exactTime, tokens } from "../thread/format";
import { useAction } from "../ui/action";
import { Button, buttonLook } from "../ui/button";
import { ConfirmButton } from "../ui/confirm";
import { useLoaded } from "../ui/loaded";
import { Notice } from "../ui/notice";
import { useNow } from "../ui/now";
import { StatusPill } from "../ui/status";
import { words } from "../words/operations";
import { runPath, useAddress } from "./address";
import { asQuery, type Filters, filterNames, RunFilters } from "./runfilters";

const say = words.runs;

const pageSize = 50;
/** How many pages are read at once: a rare tool may be in none of them. */
const mostPages = 20;

/** What was set in motion, the newest first, as it happens. */
export function Runs() {
  const { values: filters, change } = useAddress(filterNames);
  return (
    <div className="space-y-4">
      <RunFilters filters={filters} onChange={change} />
      <RunList filters={filters} />
    </div>
  );
}

function RunList({ filters }: { filters: Filters }) {
  const [wanted, setWanted] = useState(pageSize);
  const asked = JSON.stringify(filters);
  const load = useCallback(() => loadRuns(JSON.parse(asked) as Filters, wanted), [asked, wanted]);
  // Of the runs of others no stream tells.
  const { value, error, reload } = useLoaded(load, filters.user ? 5000 : 30_000);
  useChangesOfRuns(reload);
  const filtered = filterNames.some((n) => filters[n]);
  const runs = value?.items ?? [];
  const now = useNow(runs.some((r) => r.status === "running"));
  return (
    <>
      {error && <Notice text={error} />}
      {filters.user && <p className="text-sm text-soft">{say.private}</p>}
      {value && runs.length === 0 && (filtered ? <NoMatch /> : <Nothing />)}
      {runs.length > 0 && (
        <>
          <p role="status" className="text-xs text-faint">
            {say.count(runs.length, value?.next !== undefined)}
          </p>
          <ul aria-label={say.caption} className="divide-y divide-line rounded-xl border border-line">
            {runs.map((r) => (
              <Row
                key={`${r.userId} ${r.id}`}
                run={r}
                others={filters.user !== ""}
                now={now}
                onChanged={reload}
              />
            ))}
          </ul>
        </>
      )}
      {value?.next !== undefined && (
        <Button onClick={() => setWanted(runs.length + pageSize)}>{say.more}</Button>
      )}
    </>
  );
}

/** The newest runs that match, as many as are wanted. */
async function loadRuns(filters: Filters, wanted: number): Promise<{ items: Run[]; next?: string }> {
  const query = asQuery(filters, Date.now());
  const items: Run[] = [];
  let next: string | undefined;
  for (let i = 0; i < mostPages; i++) {
    query.set("limit", String(Math.max(pageSize, Math.min(wanted - items.length, 500))));
    const page = await (filters.user ? listServerRuns(query) : listRuns(query));
    items.push(...page.items);
    next = page.next;
    if (!next || items.length >= wanted) {
      break;
    }
    query.set("cursor", next);
  }
  return { items, next };
}

/** How long changes are gathered before the list is read again. */
const gatherMs = 300;

/** Reads the list again when a run began or changed. */
function useChangesOfRuns(reload: () => void): void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    const stop = live.watch(({ collection }) => {
      if (collection === "runs" && timer.current === undefined) {
        timer.current = setTimeout(() => {
          timer.current = undefined;
          reload();
        }, gatherMs);
      }
    });
    return () => {
      stop();
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [reload]);
}

interface RowProps {
  run: Run;
  /** It is told without what was said, and cannot be opened. */
  others: boolean;
  now: number;
  onChanged: () => void;
}

function Row({ run, others, now, onChanged }: RowProps) {
  const { busy, error, run: act } = useAction();
  const actAndReload = async (fn: () => Promise<unknown>) => {
    if (await act(fn)) {
      onChanged();
    }
  };
  const open = !others && (run.status === "running" || run.status === "waiting");
  const retryable = !others && run.kind === "task" && run.status === "failed" && run.chatId;
  const failure = run.status === "failed" && run.errors?.at(-1);
  return (
    <li className="grid gap-x-4 gap-y-1 px-4 py-3 sm:grid-cols-[7.5rem_minmax(0,1fr)_auto]">
      <div className="flex items-start justify-between gap-2 sm:block">
        <StatusPill status={run.status} />
        <Took run={run} now={now} className="text-xs text-faint sm:mt-1 sm:block sm:pl-2" />
      </div>
      <div className="min-w-0">
        {others ? (
          <p className="text-sm font-medium">{say.ofOthers[run.kind]}</p>
        ) : (
          <Link
            href={runPath(run.id, run.chatId)}
            className="line-clamp-2 text-sm font-medium break-words hover:underline"
          >
            {run.about || say.untold[run.kind]}
          </Link>
        )}
        <Facts run={run} />
        {failure && <p className="mt-1 line-clamp-2 text-xs break-words text-bad">{failure}</p>}
        {error && <Notice text={error} />}
      </div>
      <div className="flex items-start justify-between gap-3 sm:justify-end">
        <div className="text-xs text-soft tabular-nums sm:text-right">
          <div className="text-sm text-ink">{cost(run.costMicros)}</div>
          <div>{say.tokens(tokens(run.usage))}</div>
        </div>
        {open && (
          <ConfirmButton
            label={say.cancel}
            sure={say.sure}
            disabled={busy}
            onConfirm={() => void actAndReload(() => cancelRun(run.id))}
          />
        )}
        {retryable && (
          <Button disabled={busy} onClick={() => actAndReload(() => retryTask(run.chatId ?? "", run.id))}>
            {say.retry}
          </Button>
        )}
      </div>
    </li>
  );
}

function Took({ run, now, className }: { run: Run; now: number; className: string }) {
  const end = run.endedAt || (run.status === "running" ? now : 0);
  return end ? <span className={className}>{duration(Math.max(0, end - run.beganAt))}</span> : null;
}

/** When, who, where and with whom. */
function Facts({ run }: { run: Run }) {
  const me = useLoaded(whoAmI).value;
  const chat = useDocuments("chats").find((c) => c.id === run.chatId);
  const name = (id: string) => (id === me?.id ? say.you : id);
  const facts = [
    run.by && say.begunBy(name(run.by)),
    run.roles?.join(", "),
    run.agents && say.agents(run.agents),
    run.models?.join(", "),
    run.tools?.join(", "),
    run.waitingFor?.length && run.status === "waiting" && say.waitingFor(run.waitingFor.length),
    run.resumes && say.resumed(run.resumes),
    run.joinedTo && say.joined,
  ].filter(Boolean);
  return (
    <p className="mt-0.5 flex flex-wrap gap-x-2 text-xs text-faint">
      <time dateTime={new Date(run.beganAt).toISOString()} className="whitespace-nowrap">
        {exactTime(run.beganAt)}
      </time>
      <span>· {name(run.userId ?? "")}</span>
      {run.chatId && chat && (
        <span className="min-w-0 break-words">
          ·{" "}
          <Link href={chatPath(run.chatId)} className="text-soft hover:underline">
            {chat.title || say.untitled}
          </Link>
        </span>
      )}
      {facts.map((f) => (
        <span key={String(f)} className="min-w-0 break-words">
          · {f}
        </span>
      ))}
    </p>
  );
}

const boxLook = "rounded-xl border border-dashed border-line p-6 text-center text-sm text-faint";

const NoMatch = () => <p className={boxLook}>{say.none}</p>;

function Nothing() {
  return (
    <div className={`${boxLook} space-y-3`}>
      <p className="font-medium text-ink">{say.empty}</p>
      <p className="mx-auto max-w-xl">{say.teach}</p>
      <p className="flex justify-center gap-2">
        <Link href={pages.fresh} className={buttonLook("primary")}>
          {say.begin}
        </Link>
        <Link href={pages.graphs} className={`${buttonLook("plain")} text-ink`}>
          {say.drawGraph}
        </Link>
      </p>
    </div>
  );
}
