import { setChatModel } from "../api/calls";
import { listModels } from "../api/operations";
import type { Chat } from "../api/types";
import { useAction } from "../ui/action";
import { useLoaded } from "../ui/loaded";
import { Notice } from "../ui/notice";

/** Which model a chat talks to. With only one there is nothing to choose. */
export function ModelChoice({ chat }: { chat: Chat }) {
  const models = useLoaded(listModels).value?.items ?? []; // not everybody may see them
  const { error, run, clear } = useAction();
  if (models.length < 2) {
    return null;
  }
  return (
    <>
      <select
        aria-label="Model"
        value={chat.modelConnectionId || "default"}
        onChange={(e) => run(() => setChatModel(chat.id, e.target.value))}
        className="max-w-40 rounded-lg border border-line bg-raised px-2 py-1 text-sm"
      >
        {models.map((m) => (
          <option key={m.id} value={m.id}>
            {m.name} ({m.modelId})
          </option>
        ))}
      </select>
      {error && <Notice text={error} onClose={clear} />}
    </>
  );
}
