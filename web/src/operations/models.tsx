import { useState } from "react";
import { deleteModel, type Model, type ModelTest, makeDefault, testModel } from "../api/operations";
import ConnectModel from "../models/connect";
import { EditModel } from "../models/edit";
import { useModels } from "../models/list";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { ConfirmButton } from "../ui/confirm";
import { Fold } from "../ui/fold";
import { Notice } from "../ui/notice";
import { words } from "../words";
import { Cell, Table } from "./table";

const say = words.models.list;

export function Models() {
  const { value, error, reload } = useModels();
  return (
    <div className="space-y-4">
      {error && <Notice text={error} />}
      {value && (
        <Table caption={say.caption} heads={say.heads} empty={say.empty}>
          {value.items.map((m) => (
            <Row key={m.id} model={m} onChanged={reload} />
          ))}
        </Table>
      )}
      {value && (
        <div className="rounded-xl border border-line bg-panel p-4">
          <Fold summary={say.connect}>
            <ConnectModel models={value.items} />
          </Fold>
        </div>
      )}
    </div>
  );
}

function Row({ model: m, onChanged }: { model: Model; onChanged: () => void }) {
  const [editing, setEditing] = useState(false);
  const [test, setTest] = useState<ModelTest>();
  const { busy, error, run } = useAction();
  const change = async (work: () => Promise<unknown>) => {
    if (await run(work)) {
      onChanged();
    }
  };
  return (
    <>
      <tr>
        <Cell>
          <div className="font-medium">
            {m.name}
            {m.default && (
              <span className="ml-2 rounded-full bg-accent-wash px-2 py-0.5 text-xs text-accent">
                {say.default}
              </span>
            )}
          </div>
          <div className="text-xs text-faint">{m.description ?? m.baseUrl}</div>
          {error && <Notice text={error} />}
          {test && !test.ok && <Notice text={test.error?.message ?? words.models.form.noAnswer} />}
          {test?.ok && (
            <p role="status" className="text-xs text-good">
              {say.answered(test.report?.latencyMs ?? 0, test.report?.cost)}
            </p>
          )}
        </Cell>
        <Cell className="font-mono text-xs">
          {m.accessFormat}:{m.modelId}
        </Cell>
        <Cell className="text-xs text-soft">
          {m.readOnly ? say.key.environment : m.hasSecret ? say.key.stored : say.key.none}
        </Cell>
        <Cell>
          <div className="flex flex-wrap justify-end gap-2">
            <Button
              aria-label={say.testOf(m.name)}
              disabled={busy}
              onClick={() => run(async () => setTest(await testModel(m.id)))}
            >
              {say.test}
            </Button>
            {!m.default && (
              <Button
                aria-label={say.makeDefaultOf(m.name)}
                disabled={busy}
                onClick={() => void change(() => makeDefault(m.id))}
              >
                {say.makeDefault}
              </Button>
            )}
            {!m.readOnly && (
              <>
                <Button
                  aria-label={say.editOf(m.name)}
                  aria-expanded={editing}
                  disabled={busy}
                  onClick={() => setEditing(!editing)}
                >
                  {say.edit}
                </Button>
                <ConfirmButton
                  label={say.remove}
                  sure={say.sure}
                  disabled={busy}
                  onConfirm={() => void change(() => deleteModel(m.id))}
                />
              </>
            )}
          </div>
        </Cell>
      </tr>
      {editing && (
        <tr className="bg-panel">
          <td colSpan={say.heads.length} className="p-4">
            <EditModel model={m} onSaved={onChanged} onClose={() => setEditing(false)} />
          </td>
        </tr>
      )}
    </>
  );
}
