import { useState } from "react";
import { whoAmI } from "../api/me";
import { listUsers } from "../api/people";
import { useDocuments } from "../data/hooks";
import { Button } from "../ui/button";
import { Field } from "../ui/field";
import { Fold } from "../ui/fold";
import { useLoaded } from "../ui/loaded";
import { Select } from "../ui/select";
import { words } from "../words/operations";

const say = words.runs;

export const filterNames = [
  "status",
  "kind",
  "since",
  "chat",
  "role",
  "model",
  "tool",
  "cost",
  "user",
] as const;
/** The user who stands for all of them. No id is like that. */
export const everybody = "*";
export type Filters = Record<(typeof filterNames)[number], string>;

const hour = 3_600_000;
const spans: Record<keyof typeof say.spans, number> = {
  hour,
  day: 24 * hour,
  week: 7 * 24 * hour,
  month: 30 * 24 * hour,
};

/** What the server is asked for. */
export function asQuery(f: Filters, now: number): URLSearchParams {
  const span = Object.hasOwn(spans, f.since) ? spans[f.since as keyof typeof spans] : 0;
  const cost = Number(f.cost);
  const query = {
    status: f.status,
    kind: f.kind,
    chatId: f.user ? "" : f.chat,
    role: f.role,
    model: f.model,
    tool: f.tool,
    userId: f.user === everybody ? "" : f.user,
    minCostMicros: cost > 0 ? String(Math.round(cost * 1e6)) : "",
    from: span ? String(now - span) : "",
  };
  return new URLSearchParams(Object.entries(query).filter(([, value]) => value));
}

interface Props {
  filters: Filters;
  onChange: (to: Partial<Filters>) => void;
}

/** Which runs to show. */
export function RunFilters({ filters: f, onChange }: Props) {
  const used = filterNames.some((n) => f[n]);
  const [more] = useState(() => filterNames.slice(3).some((n) => f[n]));
  return (
    <search aria-label={words.filters.legend} className="block space-y-3">
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3">
        <Few
          label={say.status}
          all={say.statuses}
          value={f.status}
          onChange={(status) => onChange({ status })}
        />
        <Few label={say.kind} all={say.kinds} value={f.kind} onChange={(kind) => onChange({ kind })} />
        <Few label={say.since} all={say.spans} value={f.since} onChange={(since) => onChange({ since })} />
      </div>
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <Fold summary={words.filters.more} open={more} className="min-w-0 flex-1">
          <More filters={f} onChange={onChange} />
        </Fold>
        {used && (
          <Button
            kind="quiet"
            onClick={() => onChange(Object.fromEntries(filterNames.map((n) => [n, ""])) as Filters)}
          >
            {words.filters.clear}
          </Button>
        )}
      </div>
    </search>
  );
}

function Few(props: {
  label: string;
  all: Record<string, string>;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <Select label={props.label} value={props.value} onChange={props.onChange}>
      <option value="">{words.filters.any}</option>
      {Object.entries(props.all).map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </Select>
  );
}

function More({ filters: f, onChange }: Props) {
  const admin = useLoaded(whoAmI).value?.admin ?? false;
  return (
    <div className="grid grid-cols-2 gap-3 pt-1 sm:grid-cols-3">
      {admin && <UserFilter value={f.user} onChange={(user) => onChange({ user })} />}
      {!f.user && <ChatFilter value={f.chat} onChange={(chat) => onChange({ chat })} />}
      {(["role", "model", "tool"] as const).map((n) => (
        <Field key={n} label={say[n]} value={f[n]} onChange={(value) => onChange({ [n]: value.trim() })} />
      ))}
      <Field
        label={say.cost}
        type="number"
        min={0}
        step="any"
        value={f.cost}
        onChange={(cost) => onChange({ cost })}
      />
    </div>
  );
}

interface OneProps {
  value: string;
  onChange: (value: string) => void;
}

function ChatFilter({ value, onChange }: OneProps) {
  const chats = useDocuments("chats");
  return (
    <Select label={say.chat} value={value} onChange={onChange}>
      <option value="">{words.filters.any}</option>
      {value && !chats.some((c) => c.id === value) && <option>{value}</option>}
      {chats.map((c) => (
        <option key={c.id} value={c.id}>
          {c.title || say.untitled}
        </option>
      ))}
    </Select>
  );
}

/** Administrators see how runs of others went. */
function UserFilter({ value, onChange }: OneProps) {
  const users = useLoaded(listUsers).value ?? [];
  return (
    <Select label={say.user} value={value} onChange={onChange}>
      <option value="">{say.mine}</option>
      <option value={everybody}>{say.allUsers}</option>
      {value && value !== everybody && !users.some((u) => u.id === value) && <option>{value}</option>}
      {users.map((u) => (
        <option key={u.id} value={u.id}>
          {u.name}
        </option>
      ))}
    </Select>
  );
}
