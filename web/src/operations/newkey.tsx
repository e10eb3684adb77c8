import { type FormEvent, useState } from "react";
import { createKey } from "../api/people";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { Choices } from "../ui/choices";
import { Field } from "../ui/field";
import { Notice } from "../ui/notice";

const levels = [
  { value: "read", label: "Read" },
  { value: "write", label: "Read and write" },
  { value: "admin", label: "Administer" },
] as const;

const lifetimes = [
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "A year" },
  { value: "", label: "Never" },
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
      <Field label="Name" placeholder="What it is for" value={name} onChange={setName} required />
      <Choices legend="It may" options={levels} value={level} onChange={setLevel} />
      <Field
        label="Only these documents (optional)"
        placeholder="users/ada/notes/**"
        hint="Path patterns, separated by spaces. * matches one part of a path, ** at the end matches everything below."
        value={paths}
        onChange={setPaths}
      />
      <Choices legend="Expires after" options={lifetimes} value={days} onChange={setDays} />
      {error && <Notice text={error} />}
      <Button kind="primary" type="submit" disabled={busy}>
        {busy ? "Creating…" : "Create"}
      </Button>
    </form>
  );
}
