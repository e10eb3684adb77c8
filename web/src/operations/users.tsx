import { type FormEvent, useState } from "react";
import { whoAmI } from "../api/me";
import { addUser, changeUser, deleteUser, listUsers, type User, type UserChange } from "../api/people";
import { day } from "../thread/format";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { ConfirmButton } from "../ui/confirm";
import { Field } from "../ui/field";
import { Fold } from "../ui/fold";
import { useLoaded } from "../ui/loaded";
import { Notice } from "../ui/notice";
import { words } from "../words/operations";
import { Cell, Table } from "./table";

const say = words.users;

/** Who may sign in. */
export function Users() {
  const { value, error, reload } = useLoaded(listUsers);
  const me = useLoaded(whoAmI).value;
  return (
    <div className="space-y-4">
      {error && <Notice text={error} />}
      {value && (
        <Table caption={say.caption} heads={say.heads} empty={say.empty}>
          {value.map((u) => (
            <Row key={u.id} user={u} self={u.id === me?.id} onChanged={reload} />
          ))}
        </Table>
      )}
      <div className="rounded-xl border border-line bg-panel p-4">
        <Fold summary={say.add}>
          <NewUserForm onAdded={reload} />
        </Fold>
      </div>
    </div>
  );
}

interface RowProps {
  user: User;
  /** Nobody locks themselves out: the server refuses it, too. */
  self: boolean;
  onChanged: () => void;
}

function Row({ user: u, self, onChanged }: RowProps) {
  const { busy, error, run } = useAction();
  const change = async (what: UserChange) => {
    if (await run(() => changeUser(u.id, what))) {
      onChanged();
    }
  };
  const remove = async () => {
    if (await run(() => deleteUser(u.id))) {
      onChanged();
    }
  };
  return (
    <tr className={u.disabled ? "text-faint" : ""}>
      <Cell>
        <div className="font-medium">
          {u.name}
          {self && <span className="font-normal text-faint">{say.you}</span>}
        </div>
        {u.id !== u.name && <div className="font-mono text-xs text-faint">{u.id}</div>}
        {error && <Notice text={error} />}
      </Cell>
      <Cell className="break-all">{u.email ?? say.noEmail}</Cell>
      <Cell>{u.disabled ? say.disabled : u.admin ? say.administrator : say.user}</Cell>
      <Cell className="whitespace-nowrap">{day(u.createdAt)}</Cell>
      <Cell>
        {!self && (
          <div className="flex justify-end gap-2">
            {!u.disabled && (
              <Button disabled={busy} onClick={() => change({ admin: !u.admin })}>
                {u.admin ? say.removeAdmin : say.makeAdmin}
              </Button>
            )}
            {u.disabled ? (
              <>
                <Button disabled={busy} onClick={() => change({ disabled: false })}>
                  {say.enable}
                </Button>
                <ConfirmButton label={say.remove} sure={say.sureRemove} disabled={busy} onConfirm={remove} />
              </>
            ) : (
              <ConfirmButton
                label={say.disable}
                sure={say.sureDisable}
                disabled={busy}
                onConfirm={() => change({ disabled: true })}
              />
            )}
          </div>
        )}
      </Cell>
    </tr>
  );
}

/** A name that can be part of a path is the id, too: paths that people can read. */
const asId = /^[A-Za-z0-9_.-]{1,64}$/;

function NewUserForm({ onAdded }: { onAdded: () => void }) {
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [admin, setAdmin] = useState(false);
  const { busy, error, run } = useAction();
  const submit = async (e: FormEvent) => {
    e.preventDefault();
    const user = { name, password, admin, ...(email && { email }), ...(asId.test(name) && { id: name }) };
    if (await run(() => addUser(user))) {
      setName("");
      setEmail("");
      setPassword("");
      setAdmin(false);
      onAdded();
    }
  };
  return (
    <form onSubmit={submit} className="space-y-3 pt-1">
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label={say.name} value={name} onChange={setName} autoComplete="off" required />
        <Field label={say.email} type="email" value={email} onChange={setEmail} autoComplete="off" />
        <Field
          label={say.password}
          type="password"
          hint={say.passwordHint}
          value={password}
          onChange={setPassword}
          autoComplete="new-password"
          minLength={12}
          required
        />
      </div>
      <label className="flex items-center gap-2 text-sm">
        <input
          type="checkbox"
          checked={admin}
          onChange={(e) => setAdmin(e.target.checked)}
          className="size-4 accent-accent"
        />
        {say.asAdmin}
      </label>
      {error && <Notice text={error} />}
      <Button kind="primary" type="submit" disabled={busy}>
        {busy ? say.adding : say.submit}
      </Button>
    </form>
  );
}
