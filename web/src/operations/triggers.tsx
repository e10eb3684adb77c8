import { useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { listTriggers, switchTrigger, type Trigger } from "../api/operations";
import { exactTime } from "../thread/format";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { useLoaded } from "../ui/loaded";
import { Notice } from "../ui/notice";
import { words } from "../words/operations";

const say = words.triggers;

export function Triggers() {
  const { value, error, reload } = useLoaded(listTriggers, 5000);
  return (
    <div className="space-y-3">
      <p className="text-sm text-soft">{say.about}</p>
      {error && <Notice text={error} />}
      {value?.items.length === 0 && <p className="text-sm text-faint">{say.empty}</p>}
      {value && value.items.length > 0 && (
        <ul
          aria-label={say.caption}
          className="divide-y divide-line overflow-hidden rounded-xl border border-line"
        >
          {value.items.map((t) => (
            <Row key={t.id} trigger={t} onChanged={reload} />
          ))}
        </ul>
      )}
    </div>
  );
}

/** The trigger that the address names is brought into view. */
function useNamed(id: string) {
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (decodeURIComponent(location.hash.slice(1)) === id) {
      row.current?.scrollIntoView({ block: "center" });
    }
  }, [id]);
  return row;
}

function Row({ trigger: t, onChanged }: { trigger: Trigger; onChanged: () => void }) {
  const row = useNamed(t.id);
  const box = useRef<HTMLInputElement>(null);
  const [asking, setAsking] = useState(false);
  const { busy, error, run } = useAction();
  const on = t.enabled !== false;
  const change = async (enabled: boolean) => {
    setAsking(false);
    box.current?.focus();
    if (await run(() => switchTrigger(t.id, enabled))) {
      onChanged();
    }
  };
  const keep = () => {
    setAsking(false);
    box.current?.focus();
  };
  return (
    <li ref={row} className={`space-y-2 px-4 py-3 ${on ? "" : "bg-wait-wash"}`}>
      <div className="flex gap-3">
        <input
          ref={box}
          type="checkbox"
          aria-label={say.isOn(t.id)}
          checked={on}
          disabled={busy}
          onChange={(e) => (e.target.checked ? void change(true) : setAsking(true))}
          className="mt-0.5 size-4 shrink-0 accent-accent"
        />
        <div className="min-w-0 flex-1 space-y-1">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="text-sm font-medium break-all">{t.id}</span>
            {!on && (
              <span className="rounded-full border border-wait px-2 py-0.5 text-xs font-medium text-wait">
                {say.off}
              </span>
            )}
            <Fired trigger={t} />
            <Link
              href={`/operations/jobs?trigger=${encodeURIComponent(t.id)}`}
              className="text-xs font-medium text-accent hover:underline sm:ml-auto"
            >
              {say.jobs}
            </Link>
          </div>
          <Rule trigger={t} />
          {t.lastError && (
            <p className="text-xs break-words text-bad">
              {say.errors(t.errors)} {t.lastError}
            </p>
          )}
        </div>
      </div>
      {asking && <Ask trigger={t} onOff={() => void change(false)} onKeep={keep} />}
      {error && <Notice text={error} />}
    </li>
  );
}

function Fired({ trigger: t }: { trigger: Trigger }) {
  return (
    <span className="text-xs text-faint tabular-nums">
      {t.lastFired ? `${say.fired(t.fired)}, ${say.last(exactTime(t.lastFired))}` : say.never}
    </span>
  );
}

/** What has to change, and how, for what to happen. */
function Rule({ trigger: t }: { trigger: Trigger }) {
  const events = (t.events ?? (["create", "update"] as const)).map((e) => say.events[e]).join(", ");
  const parts = [
    [say.when, say.on(t.collection, events)],
    [say.condition, t.condition],
    [say.action, t.action],
  ];
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5 text-xs">
      {parts.map(
        ([name, value]) =>
          value && (
            <div key={name} className="contents">
              <dt className="text-faint">{name}</dt>
              <dd className="font-mono break-words text-soft">{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** Asks before a part of what people rely on stops. */
function Ask(props: { trigger: Trigger; onOff: () => void; onKeep: () => void }) {
  const { id, action } = props.trigger;
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    keep.current?.focus();
  }, []);
  const webhook = /https?:\/\/\S+/.exec(action)?.[0];
  return (
    <div
      role="alertdialog"
      aria-label={say.ask(id)}
      onKeyDown={(e) => e.key === "Escape" && props.onKeep()}
      className="space-y-2 rounded-lg border border-wait bg-wait-wash p-3 text-sm"
    >
      <p className="font-medium">{say.ask(id)}</p>
      <p>{say.stops[id] ?? (webhook ? say.stopsWebhook(webhook) : say.stopsOther)}</p>
      <p className="text-soft">{say.lost}</p>
      <div className="flex flex-wrap gap-2">
        <Button ref={keep} kind="primary" onClick={props.onKeep}>
          {say.keep}
        </Button>
        <Button kind="danger" onClick={props.onOff}>
          {say.switchOff}
        </Button>
      </div>
    </div>
  );
}
