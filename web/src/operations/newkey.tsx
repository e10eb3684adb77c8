import { type FormEvent, useState } from "react";
import { createKey } from "../api/people";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { Choices } from "../ui/choices";
import { Field } from "../ui/field";
import { Notice } from "../ui/notice";
import { words } from "../words/operations";

const say = words.keys;

const levels = [
  { value: "read", label: say.levels.read },
  { value: "write", label: say.levels.write },
  { value: "admin", label: say.levels.admin },
] as const;

const lifetimes = [
  { value: "30", label: say.lifetimes.month },
  { value: "90", label: say.lifetimes.quarter },
  { value: "365", label: say.lifetimes.year },
  { value: "", label: say.lifetimes.never },
] as const;

const day = 86_400_000;

export function NewKeyForm({ onMade }: { onMade: (key: string) => void }) {
  const [name, setName] = useState("");
  const [level, setLevel] = useState<(typeof levels)[number]["value"]>("read");
  const [paths, setPaths] = useState("");
  const [days, setDays] = useState<(typeof lifetimes)[number]["value"]>("90");
  const { busy, error, run } = useAction();
  const submit = (e: FormEvent) => {
    e.preventDefault();
    run(async () => {
      const scopes = [level, ...paths.split(/[\s,]+/).filter(Boolean)];
      const { key } = await createKey({
        name,
        scopes,
        ...(days && { expiresAt: Date.now() + Number(days) * day }),
      });
      onMade(key);
      setName("");
      setPaths("");
    });
  };
  return (
    <form onSubmit={submit} className="space-y-3 pt-1">
      <Field label={say.name} placeholder={say.nameHint} value={name} onChange={setName} required />
      <Choices legend={say.may} options={levels} value={level} onChange={setLevel} />
      <Field
        label={say.paths}
        placeholder={say.pathsExample}
        hint={say.pathsHint}
        value={paths}
        onChange={setPaths}
      />
      <Choices legend={say.expires} options={lifetimes} value={days} onChange={setDays} />
      {error && <Notice text={error} />}
      <Button kind="primary" type="submit" disabled={busy}>
        {busy ? say.creating : say.submit}
      </Button>
    </form>
  );
}
