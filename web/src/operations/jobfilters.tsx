import { listTriggers } from "../api/operations";
import { listUsers } from "../api/people";
import { useLoaded } from "../ui/loaded";
import { Select } from "../ui/select";
import { words } from "../words/operations";

const say = words.jobs;

export const jobFilterNames = ["trigger", "user"] as const;
type Filters = Record<(typeof jobFilterNames)[number], string>;

/** Which jobs to show. What is in the address is offered, also if there is none of it now. */
export function JobFilters({
  filters: f,
  onChange,
}: {
  filters: Filters;
  onChange: (to: Partial<Filters>) => void;
}) {
  const triggers = (useLoaded(listTriggers).value?.items ?? []).map((t) => t.id);
  const users = useLoaded(listUsers).value ?? [];
  return (
    <div className="grid grid-cols-2 gap-3 sm:max-w-xl">
      <Select label={say.trigger} value={f.trigger} onChange={(trigger) => onChange({ trigger })}>
        <option value="">{words.filters.any}</option>
        {[...new Set([...triggers, f.trigger])].filter(Boolean).map((id) => (
          <option key={id}>{id}</option>
        ))}
      </Select>
      <Select label={say.user} value={f.user} onChange={(user) => onChange({ user })}>
        <option value="">{say.allUsers}</option>
        {f.user && !users.some((u) => u.id === f.user) && <option>{f.user}</option>}
        {users.map((u) => (
          <option key={u.id} value={u.id}>
            {u.name}
          </option>
        ))}
      </Select>
    </div>
  );
}
