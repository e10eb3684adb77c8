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
        className="max-w-60 truncate rounded-lg border border-edge bg-raised py-1 pr-6 pl-2 text-sm max-sm:max-w-32"
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
