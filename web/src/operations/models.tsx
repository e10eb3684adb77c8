import { useState } from "react";
import { deleteModel, listModels, type Model, type ModelTest, testModel } from "../api/operations";
import { ConnectModel } from "../models/connect";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { ConfirmButton } from "../ui/confirm";
import { Fold } from "../ui/fold";
import { useLoaded } from "../ui/loaded";
import { Notice } from "../ui/notice";
import { Cell, Table } from "./table";

export function Models() {
  const { value, error, reload } = useLoaded(listModels);
  return (
    <div className="space-y-4">
      {error && <Notice text={error} />}
      {value && (
        <Table
          caption="Model connections"
          heads={["Connection", "Model", "Key", ""]}
          empty="No model is connected."
        >
          {value.items.map((m) => (
            <Row key={m.id} model={m} onChanged={reload} />
          ))}
        </Table>
      )}
      <div className="rounded-xl border border-line bg-panel p-4">
        <Fold summary="Connect a model">
          <ConnectModel onSaved={reload} />
        </Fold>
      </div>
    </div>
  );
}

function Row({ model: m, onChanged }: { model: Model; onChanged: () => void }) {
  const [test, setTest] = useState<ModelTest>();
  const { busy, error, run } = useAction();
  const remove = async () => {
    if (await run(() => deleteModel(m.id))) {
      onChanged();
    }
  };
  return (
    <tr>
      <Cell>
        <div className="font-medium">{m.name}</div>
        <div className="text-xs text-faint">{m.description ?? m.baseUrl}</div>
        {error && <Notice text={error} />}
        {test && !test.ok && <Notice text={test.error?.message ?? "The model did not answer."} />}
        {test?.ok && (
          <p role="status" className="text-xs text-good">
            Answered in {test.report?.latencyMs} ms{test.report?.cost && ` for ${test.report.cost}`}
          </p>
        )}
      </Cell>
      <Cell className="font-mono text-xs">
        {m.accessFormat}:{m.modelId}
      </Cell>
      <Cell className="text-xs text-soft">
        {m.readOnly ? "environment" : m.hasSecret ? "stored" : "none"}
      </Cell>
      <Cell>
        <div className="flex justify-end gap-2">
          <Button disabled={busy} onClick={() => run(async () => setTest(await testModel(m.id)))}>
            Test
          </Button>
          {!m.readOnly && (
            <ConfirmButton label="Remove" sure="Remove for good?" disabled={busy} onConfirm={remove} />
          )}
        </div>
      </Cell>
    </tr>
  );
}
