import { CircleCheck } from "lucide-react";
import { type FormEvent, useState } from "react";
import { saveModel, testModel } from "../api/operations";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { Choices } from "../ui/choices";
import { Field } from "../ui/field";
import { Notice } from "../ui/notice";
import { type Provider, providers } from "./providers";

/** Saves a connection to a model and tries it. The key goes to the server and never comes back. */
export function ConnectModel({ onSaved }: { onSaved: () => void }) {
  const [provider, setProvider] = useState<Provider>(providers[0] as Provider);
  const [model, setModel] = useState("");
  const [url, setUrl] = useState("");
  const [secret, setSecret] = useState("");
  const [success, setSuccess] = useState("");
  const { busy, error, run } = useAction();
  const submit = (e: FormEvent) => {
    e.preventDefault();
    setSuccess("");
    run(async () => {
      await saveModel(provider.id, {
        name: provider.name,
        accessFormat: provider.format,
        modelId: model || provider.model,
        ...(provider.needsUrl && { baseUrl: url }),
        ...(secret && { secret }),
      });
      onSaved();
      const test = await testModel(provider.id);
      if (!test.ok) {
        throw new Error(test.error?.message ?? "The model did not answer.");
      }
      setSuccess(
        `${test.report?.model} answered in ${test.report?.latencyMs} ms. Choose it at the top of a chat.`,
      );
    });
  };
  return (
    <form onSubmit={submit} className="space-y-3 pt-1">
      <Choices
        legend="Provider"
        options={providers.map((p) => ({ value: p.id, label: p.name }))}
        value={provider.id}
        onChange={(id) => setProvider(providers.find((p) => p.id === id) ?? provider)}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        {provider.needsUrl && (
          <Field
            label="Address"
            type="url"
            placeholder="http://localhost:11434/v1"
            value={url}
            onChange={setUrl}
            className="sm:col-span-2"
            required
          />
        )}
        <Field label="Model" placeholder={provider.model} value={model} onChange={setModel} />
        <Field
          label={provider.needsUrl ? "API key, if required" : "API key"}
          type="password"
          autoComplete="off"
          value={secret}
          onChange={setSecret}
          required={!provider.needsUrl}
        />
      </div>
      <Button kind="primary" type="submit" disabled={busy}>
        {busy ? "Testing…" : "Save and test"}
      </Button>
      {error && <Notice text={error} />}
      {success && (
        <p
          role="status"
          className="flex items-center gap-2 rounded-lg bg-good-wash px-3 py-2 text-sm text-good"
        >
          <CircleCheck size={16} aria-hidden /> {success}
        </p>
      )}
    </form>
  );
}
