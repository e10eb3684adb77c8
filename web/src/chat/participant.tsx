import { SlidersHorizontal } from "lucide-react";
import { useState } from "react";
import { listParticipants, setTalk, type Talk } from "../api/calls";
import type { Chat, Participant } from "../api/types";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { inputLook } from "../ui/field";
import { useLoaded } from "../ui/loaded";
import { Notice } from "../ui/notice";
import { words } from "../words";
import { ModelChoice, ModelPicker, selectLook, wideLook } from "./model";

const say = words.models.talk;
const groups: Record<string, string> = say.groups;

/** Models and graphs say themselves which model answers. */
const choosesModel = (participant = "") => !/^(model|graph):/.test(participant);

/** Who answers in a chat that has not begun, with which model, and what it is told beforehand. */
export function NewTalk({ talk, onChange }: { talk: Talk; onChange: (talk: Talk) => void }) {
  const [open, setOpen] = useState(Boolean(talk.systemPrompt));
  return (
    <div className="mb-2 space-y-2">
      <div className="flex flex-wrap items-center gap-2 text-sm text-soft">
        <span className="max-sm:hidden">{say.to}</span>
        <Choice
          value={talk.participant}
          onChange={(participant) => onChange({ ...talk, participant })}
          look={wideLook}
        />
        {choosesModel(talk.participant) && (
          <ModelPicker
            value={talk.modelConnectionId}
            onChange={(modelConnectionId) => onChange({ ...talk, modelConnectionId })}
            look={wideLook}
          />
        )}
        <Button
          kind="quiet"
          icon={<SlidersHorizontal size={14} />}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <span className="max-sm:sr-only">{say.prompt}</span>
        </Button>
      </div>
      {open && (
        <Prompt
          value={talk.systemPrompt ?? ""}
          onChange={(text) => onChange({ ...talk, systemPrompt: text })}
        />
      )}
    </div>
  );
}

/** The same for a chat that is under way: it counts from the next message on. */
export function TalkMenu({ chat }: { chat: Chat }) {
  const [open, setOpen] = useState(false);
  const [text, setText] = useState(chat.systemPrompt ?? "");
  const { busy, error, run, clear } = useAction();
  const save = async () => {
    if (await run(() => setTalk(chat.id, { systemPrompt: text.trim() || null }))) {
      setOpen(false);
    }
  };
  return (
    <>
      <div className="flex min-w-0 items-center gap-1 @max-2xl:order-1 @max-2xl:-ml-2 @max-2xl:w-full">
        <Choice
          value={chat.participant}
          onChange={(participant) => run(() => setTalk(chat.id, { participant: participant ?? null }))}
        />
        {choosesModel(chat.participant) && <ModelChoice chat={chat} />}
        <Button
          kind="quiet"
          icon={<SlidersHorizontal size={14} />}
          aria-label={say.prompt}
          aria-expanded={open}
          title={chat.systemPrompt ? say.promptSet : say.prompt}
          onClick={() => setOpen(!open)}
        />
      </div>
      {open && (
        <div className="order-last w-full space-y-2 pb-1">
          <Prompt value={text} onChange={setText} />
          <Button disabled={busy} onClick={save}>
            {say.save}
          </Button>
        </div>
      )}
      {error && (
        <div className="order-last w-full">
          <Notice text={error} onClose={clear} />
        </div>
      )}
    </>
  );
}

function Prompt({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  return (
    <textarea
      aria-label={say.prompt}
      placeholder={say.promptHint}
      rows={3}
      maxLength={32_000}
      value={value}
      onChange={(e) => onChange(e.target.value)}
      className={inputLook}
    />
  );
}

interface Props {
  value?: string;
  /** undefined is the orchestrator. */
  onChange: (participant?: string) => void;
  look?: string;
}

function Choice({ value, onChange, look = selectLook }: Props) {
  const list = useLoaded(listParticipants).value?.items ?? [];
  const chosen = value || "orchestrator";
  const known = list.some((p) => p.id === chosen);
  return (
    <select
      aria-label={say.participant}
      value={chosen}
      onChange={(e) => onChange(e.target.value === "orchestrator" ? undefined : e.target.value)}
      className={look}
    >
      {!known && <option value={chosen}>{chosen === "orchestrator" ? say.orchestrator : chosen}</option>}
      {list.filter((p) => !(p.kind in groups)).map(option)}
      {Object.entries(groups).map(([kind, name]) => {
        const some = list.filter((p) => p.kind === kind);
        return some.length > 0 ? (
          <optgroup key={kind} label={name}>
            {some.map(option)}
          </optgroup>
        ) : null;
      })}
    </select>
  );
}

const option = (p: Participant) => (
  <option key={p.id} value={p.id} title={p.description}>
    {p.name}
  </option>
);
