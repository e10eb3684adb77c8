import { SlidersHorizontal } from "lucide-react";
import { useState } from "react";
import { listParticipants, setTalk, type Talk } from "../api/calls";
import type { Chat, Participant } from "../api/types";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { inputLook } from "../ui/field";
import { useLoaded } from "../ui/loaded";
import { Notice } from "../ui/notice";

const groups: Record<string, string> = { agent: "Agents", model: "Models", graph: "Graphs" };

const look =
  "max-w-60 truncate rounded-lg border border-edge bg-raised py-1 pr-6 pl-2 text-sm max-sm:max-w-32";

/** Who answers in a chat that has not begun, and what it is told beforehand. */
export function NewTalk({ talk, onChange }: { talk: Talk; onChange: (talk: Talk) => void }) {
  const [open, setOpen] = useState(Boolean(talk.systemPrompt));
  return (
    <div className="mb-2 space-y-2">
      <div className="flex flex-wrap items-center gap-2 text-sm text-soft">
        <span>Talk to</span>
        <Choice value={talk.participant} onChange={(participant) => onChange({ ...talk, participant })} />
        <Button
          kind="quiet"
          icon={<SlidersHorizontal size={14} />}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          System prompt
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
      <Choice
        value={chat.participant}
        onChange={(participant) => run(() => setTalk(chat.id, { participant: participant ?? null }))}
      />
      <Button
        kind="quiet"
        icon={<SlidersHorizontal size={14} />}
        aria-label="System prompt"
        aria-expanded={open}
        title={chat.systemPrompt ? "System prompt (set)" : "System prompt"}
        onClick={() => setOpen(!open)}
      />
      {open && (
        <div className="order-last w-full space-y-2 pb-1">
          <Prompt value={text} onChange={setText} />
          <Button disabled={busy} onClick={save}>
            Save
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
      aria-label="System prompt"
      placeholder="What whoever answers is told in this chat, below its own instructions"
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
}

function Choice({ value, onChange }: Props) {
  const list = useLoaded(listParticipants).value?.items ?? [];
  const chosen = value || "orchestrator";
  const known = list.some((p) => p.id === chosen);
  return (
    <select
      aria-label="Participant"
      value={chosen}
      onChange={(e) => onChange(e.target.value === "orchestrator" ? undefined : e.target.value)}
      className={look}
    >
      {!known && <option value={chosen}>{chosen === "orchestrator" ? "Orchestrator" : chosen}</option>}
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
