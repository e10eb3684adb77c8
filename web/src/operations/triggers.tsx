import { listTriggers, switchTrigger, type Trigger } from "../api/operations";
import { exactTime } from "../thread/format";
import { useAction } from "../ui/action";
import { useLoaded } from "../ui/loaded";
import { Notice } from "../ui/notice";
import { Cell, Table } from "./table";

export function Triggers() {
  const { value, error, reload } = useLoaded(listTriggers, 5000);
  return (
    <div className="space-y-3">
      <p className="text-sm text-soft">
        A trigger turns changes of documents into jobs. Switching one off stops what it starts, until the
        server restarts.
      </p>
      {error && <Notice text={error} />}
      {value && (
        <Table caption="Triggers" heads={["On", "Trigger", "Fired", "Action"]} empty="There are no triggers.">
          {value.items.map((t) => (
            <Row key={t.id} trigger={t} onChanged={reload} />
          ))}
        </Table>
      )}
    </div>
  );
}

function Row({ trigger: t, onChanged }: { trigger: Trigger; onChanged: () => void }) {
  const { busy, error, run } = useAction();
  const change = async (enabled: boolean) => {
    if (await run(() => switchTrigger(t.id, enabled))) {
      onChanged();
    }
  };
  return (
    <tr>
      <Cell>
        <input
          type="checkbox"
          aria-label={`${t.id} is on`}
          checked={t.enabled !== false}
          disabled={busy}
          onChange={(e) => change(e.target.checked)}
          className="size-4 accent-accent"
        />
      </Cell>
      <Cell className="min-w-72">
        <div className="font-medium">{t.id}</div>
        <div className="font-mono text-xs break-all text-soft">{t.collection}</div>
        {t.condition && <div className="mt-1 font-mono text-xs break-words text-faint">{t.condition}</div>}
        {error && <Notice text={error} />}
      </Cell>
      <Cell className="whitespace-nowrap tabular-nums">
        {t.fired}×{t.errors > 0 && <span className="text-bad"> · {t.errors} errors</span>}
        {t.lastFired ? <div className="text-xs text-faint">{exactTime(t.lastFired)}</div> : null}
      </Cell>
      <Cell className="font-mono text-xs whitespace-nowrap">{t.action}</Cell>
    </tr>
  );
}
