import { CircleCheck } from "lucide-react";
import { type FormEvent, useState } from "react";
import { createModel, type Model, makeDefault, testUnsaved } from "../api/operations";
import { useAction } from "../ui/action";
import { Choices } from "../ui/choices";
import { words } from "../words";
import { type Entered, type Failure, failureOf, ModelFields, SaveButtons } from "./fields";
import { modelsChanged } from "./list";
import { freeId, freeName } from "./naming";
import { type Provider, providers } from "./providers";

const say = words.models.form;
const blank: Entered = { name: "", model: "", url: "", secret: "" };

interface Props {
  /** Those that there are, so that the new one is another. */
  models: readonly Model[];
  onSaved?: () => void;
}

/**
 * Tries a connection to a model and saves it. One that fails is saved only if the
 * person insists. The key goes to the server and never comes back.
 */
export default function ConnectModel({ models, onSaved }: Props) {
  const [provider, setProvider] = useState<Provider>(providers[0]);
  const [entered, setEntered] = useState(blank);
  const [chosen, setChosen] = useState(true);
  const [failure, setFailure] = useState<Failure>();
  const [success, setSuccess] = useState("");
  const { busy, error, run } = useAction();
  const name = freeName(say.providers[provider.id], models);
  const connection = {
    name: entered.name.trim() || name,
    accessFormat: provider.format,
    modelId: entered.model.trim() || provider.model,
    ...(provider.needsUrl && { baseUrl: entered.url.trim() }),
    ...(entered.secret && { secret: entered.secret }),
  };
  const save = async (report: string) => {
    const id = freeId(connection.name, models);
    await createModel({ id, ...connection });
    if (chosen) {
      await makeDefault(id);
    }
    setEntered(blank);
    setSuccess([report, chosen && say.isDefault].filter(Boolean).join(" "));
    modelsChanged();
    onSaved?.();
  };
  const submit = (e: FormEvent) => {
    e.preventDefault();
    setSuccess("");
    setFailure(undefined);
    run(async () => {
      const test = await testUnsaved(connection);
      if (test.ok) {
        await save(say.answered(test.report?.model ?? connection.modelId, test.report?.latencyMs ?? 0));
      } else {
        setFailure(failureOf(test));
      }
    });
  };
  const insist = () => {
    setFailure(undefined);
    run(() => save(say.saved));
  };
  const change = (to: Entered) => {
    setEntered(to);
    setFailure(undefined);
  };
  return (
    <form onSubmit={submit} className="space-y-3 pt-1">
      <Choices
        legend={say.provider}
        options={providers.map((p) => ({ value: p.id, label: say.providers[p.id] }))}
        value={provider.id}
        onChange={(id) => {
          setProvider(providers.find((p) => p.id === id) ?? provider);
          setFailure(undefined);
        }}
      />
      <ModelFields
        entered={entered}
        onChange={change}
        names={{ name, model: provider.model }}
        needsUrl={provider.needsUrl}
        failure={failure}
      />
      <label className="flex w-fit items-center gap-2 text-sm">
        <input type="checkbox" checked={chosen} onChange={(e) => setChosen(e.target.checked)} />
        {say.makeDefault}
      </label>
      <SaveButtons busy={busy} failure={failure} error={error} onInsist={insist} />
      {success && (
        <p
          role="status"
          className="flex items-center gap-2 rounded-lg bg-good-wash px-3 py-2 text-sm text-good"
        >
          <CircleCheck size={16} className="shrink-0" aria-hidden /> {success}
        </p>
      )}
    </form>
  );
}
