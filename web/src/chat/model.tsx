import { setTalk } from "../api/calls";
import type { Model } from "../api/operations";
import type { Chat } from "../api/types";
import { useModels } from "../models/list";
import { useAction } from "../ui/action";
import { Notice } from "../ui/notice";
import { words } from "../words";

const say = words.models.pick;

const shape = "max-w-64 min-w-0 truncate rounded-lg border py-1 pr-1 pl-2 text-sm";

/** Quiet, as in the head of a chat, where the conversation matters. */
export const selectLook = `${shape} border-transparent bg-page text-soft hover:border-edge hover:text-ink`;

/** Where there is room for it, as before a chat begins. */
export const wideLook = `${shape} border-edge bg-raised max-sm:max-w-full max-sm:flex-1`;

interface Props {
  /** undefined is the default, whichever that is. */
  value?: string;
  onChange: (connectionId?: string) => void;
  look?: string;
}

/** Tells which model answers, and lets people choose another. */
export function ModelPicker({ value = "", onChange, look = selectLook }: Props) {
  const models = useModels().value?.items;
  if (!models) {
    return null;
  }
  const byDefault = models.find((m) => m.default);
  return (
    <select
      aria-label={say.label}
      title={say.title}
      value={value}
      onChange={(e) => onChange(e.target.value || undefined)}
      className={look}
    >
      {byDefault && <option value="">{say.byDefault(byDefault.name, byDefault.modelId)}</option>}
      {models.map(option)}
      {value && !models.some((m) => m.id === value) && <option value={value}>{say.gone(value)}</option>}
    </select>
  );
}

const option = (m: Model) => (
  <option key={m.id} value={m.id}>
    {say.one(m.name, m.modelId)}
  </option>
);

/** The model of a chat that is under way: another one counts from the next message on. */
export function ModelChoice({ chat }: { chat: Chat }) {
  const { error, run, clear } = useAction();
  return (
    <>
      <ModelPicker
        value={chat.modelConnectionId}
        onChange={(id) => run(() => setTalk(chat.id, { modelConnectionId: id ?? null }))}
      />
      {error && <Notice text={error} onClose={clear} />}
    </>
  );
}
