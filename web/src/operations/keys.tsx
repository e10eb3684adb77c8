import { useState } from "react";
import { type APIKey, listKeys, revokeKey } from "../api/people";
import { day, exactTime } from "../thread/format";
import { useAction } from "../ui/action";
import { ConfirmButton } from "../ui/confirm";
import { CopyButton } from "../ui/copy";
import { Fold } from "../ui/fold";
import { useLoaded } from "../ui/loaded";
import { Notice } from "../ui/notice";
import { words } from "../words/operations";
import { NewKeyForm } from "./newkey";
import { Cell, Table } from "./table";

const say = words.keys;

/** The keys with which programs act for whoever is signed in. */
export function Keys() {
  const { value, error, reload } = useLoaded(listKeys);
  const [made, setMade] = useState("");
  const onMade = (key: string) => {
    setMade(key);
    void reload();
  };
  return (
    <div className="space-y-4">
      <p className="text-sm text-soft">{say.about}</p>
      {error && <Notice text={error} />}
      {made && <MadeKey value={made} />}
      {value && (
        <Table caption={say.caption} heads={say.heads} empty={say.empty}>
          {value.map((k) => (
            <Row key={k.id} apiKey={k} onChanged={reload} />
          ))}
        </Table>
      )}
      <div className="rounded-xl border border-line bg-panel p-4">
        <Fold summary={say.create}>
          <NewKeyForm onMade={onMade} />
        </Fold>
      </div>
    </div>
  );
}

function MadeKey({ value }: { value: string }) {
  return (
    <div role="status" className="rounded-xl border border-good/40 bg-good-wash p-4">
      <p className="text-sm">
        <strong>{say.copyNow}</strong> {say.once}
      </p>
      <div className="mt-2 flex items-center gap-2 rounded-lg border border-line bg-page px-3 py-1.5">
        <code className="min-w-0 flex-1 font-mono text-[13px] break-all">{value}</code>
        <CopyButton text={value} label={say.copy} />
      </div>
    </div>
  );
}

function Row({ apiKey: k, onChanged }: { apiKey: APIKey; onChanged: () => void }) {
  const { busy, error, run } = useAction();
  const revoke = async () => {
    if (await run(() => revokeKey(k.id))) {
      onChanged();
    }
  };
  const expired = k.expiresAt !== undefined && k.expiresAt < Date.now();
  return (
    <tr>
      <Cell>
        <div className="font-medium">{k.name}</div>
        <div className="font-mono text-xs text-faint">…{k.hint}</div>
        {error && <Notice text={error} />}
      </Cell>
      <Cell>
        <ul className="font-mono text-xs">
          {k.scopes?.map((s) => (
            <li key={s} className="break-all">
              {s}
            </li>
          ))}
        </ul>
      </Cell>
      <Cell className="whitespace-nowrap">{day(k.createdAt)}</Cell>
      <Cell className={`whitespace-nowrap ${expired ? "text-bad" : ""}`}>
        {k.expiresAt ? day(k.expiresAt) : say.never}
      </Cell>
      <Cell className="whitespace-nowrap">
        {k.lastUsedAt ? <span title={exactTime(k.lastUsedAt)}>{day(k.lastUsedAt)}</span> : say.never}
      </Cell>
      <Cell>
        <div className="flex justify-end">
          <ConfirmButton label={say.revoke} sure={say.sure} disabled={busy} onConfirm={revoke} />
        </div>
      </Cell>
    </tr>
  );
}
