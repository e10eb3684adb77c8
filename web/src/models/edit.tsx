import { type FormEvent, useState } from "react";
import { changeModel, type Model, testUnsaved } from "../api/operations";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { words } from "../words";
import { type Entered, type Failure, failureOf, ModelFields, SaveButtons } from "./fields";

const say = words.models.form;

interface Props {
  model: Model;
  onSaved: () => void;
  onClose: () => void;
}

/** Changes a connection: its name, model, address or key. All but a new name is tried first. */
export function EditModel({ model, onSaved, onClose }: Props) {
  const [entered, setEntered] = useState<Entered>({
    name: model.name,
    model: model.modelId,
    url: model.baseUrl ?? "",
    secret: "",
  });
  const [failure, setFailure] = useState<Failure>();
  const { busy, error, run } = useAction();
  const change = {
    name: entered.name.trim() || model.name,
    modelId: entered.model.trim() || model.modelId,
    ...(model.baseUrl && { baseUrl: entered.url.trim() }),
    ...(entered.secret && { secret: entered.secret }),
  };
  const untested =
    !change.secret && change.modelId === model.modelId && (change.baseUrl ?? "") === (model.baseUrl ?? "");
  const save = async () => {
    await changeModel(model.id, change);
    onSaved();
    onClose();
  };
  const submit = (e: FormEvent) => {
    e.preventDefault();
    setFailure(undefined);
    run(async () => {
      const test = untested ? { ok: true } : await testUnsaved({ ...settingsOf(model), ...change });
      if (test.ok) {
        await save();
      } else {
        setFailure(failureOf(test));
      }
    });
  };
  return (
    <form onSubmit={submit} className="space-y-3">
      <ModelFields
        entered={entered}
        onChange={(to) => {
          setEntered(to);
          setFailure(undefined);
        }}
        names={{ name: model.name, model: model.modelId }}
        needsUrl={Boolean(model.baseUrl)}
        kept={model.hasSecret}
        failure={failure}
      />
      <SaveButtons busy={busy} failure={failure} error={error} untested={untested} onInsist={() => run(save)}>
        <Button onClick={onClose}>{say.cancel}</Button>
      </SaveButtons>
    </form>
  );
}

/** What decides how a model is called. The server knows the key. */
function settingsOf(model: Model) {
  const { id, accessFormat, data, fallbackId, price, extraBody } = model;
  return { id, accessFormat, data, fallbackId, price, extraBody };
}
