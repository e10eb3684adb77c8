import { Pencil, Plus, Target } from "lucide-react";
import { useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { activateOutcome, deleteOutcome, type Outcome } from "../api/priorities";
import { partPath } from "../place";
import { useAction } from "../ui/action";
import { Button, buttonLook } from "../ui/button";
import { ConfirmButton } from "../ui/confirm";
import { Fold } from "../ui/fold";
import { Notice } from "../ui/notice";
import { words } from "../words/priorities";
import { OutcomeEditor } from "./editor";
import { useReturnFocus } from "./returnfocus";
import { Section } from "./section";
import { hours } from "./words";

const say = words.outcome;

interface Props {
  outcomes: readonly Outcome[];
  /** The editor is open: the address says so. */
  editing: boolean;
  onClose: () => void;
  onChanged: () => Promise<void>;
}

/** The outcome that plans are made for, its editor, and the former ones. */
export function OutcomePart({ outcomes, editing, onClose, onChanged }: Props) {
  const [, navigate] = useLocation();
  const [fresh, setFresh] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useReturnFocus(editing, place);
  const active = outcomes.find((o) => o.is_active);
  const former = outcomes.filter((o) => !o.is_active);
  const close = () => {
    setFresh(false);
    onClose();
  };
  const beginFresh = () => {
    setFresh(true);
    navigate(partPath("outcome"));
  };
  return (
    <Section title={say.outcome} icon={<Target size={16} aria-hidden />}>
      {editing ? (
        <OutcomeEditor
          key={fresh ? "fresh" : active?.id}
          outcome={fresh ? undefined : active}
          onSaved={async () => {
            await onChanged();
            close();
          }}
          onClose={close}
        />
      ) : active ? (
        <>
          <p className="text-[17px] leading-snug font-medium break-words">{active.assembled_text}</p>
          <p className="mt-1 text-sm text-soft">{manner(active)}</p>
          <div ref={place} className="mt-3 flex flex-wrap gap-2">
            <Link href={partPath("outcome")} className={buttonLook("plain")}>
              <Pencil size={14} aria-hidden /> {say.change}
            </Link>
            <Button kind="quiet" icon={<Plus size={14} aria-hidden />} onClick={beginFresh}>
              {say.newOutcome}
            </Button>
          </div>
        </>
      ) : (
        <>
          <p className="text-sm text-soft">{say.about}</p>
          <div ref={place} className="mt-3">
            <Link href={partPath("outcome")} className={buttonLook("primary")}>
              {say.set}
            </Link>
          </div>
        </>
      )}
      {former.length > 0 && (
        <Fold summary={say.former(former.length)} className="mt-3">
          <ul className="space-y-2">
            {former.map((o) => (
              <Former key={o.id} outcome={o} onChanged={onChanged} />
            ))}
          </ul>
        </Fold>
      )}
    </Section>
  );
}

function manner(o: Outcome): string {
  const energy = { Energized: say.energized, "Low energy": say.lowEnergy };
  const parts = [
    o.state_preference && energy[o.state_preference],
    o.daily_capacity_hours && say.aDay(hours(o.daily_capacity_hours)),
  ];
  return parts.filter(Boolean).join(" · ");
}

function Former({ outcome: o, onChanged }: { outcome: Outcome; onChanged: () => Promise<void> }) {
  const { busy, error, run } = useAction();
  const act = async (work: () => Promise<unknown>) => {
    if (await run(work)) {
      await onChanged();
    }
  };
  return (
    <li className="rounded-lg border border-line p-2.5">
      <p className="text-sm break-words">{o.assembled_text}</p>
      {error && <Notice text={error} />}
      <div className="mt-2 flex flex-wrap gap-2">
        <Button disabled={busy} onClick={() => act(() => activateOutcome(o.id))}>
          {say.makeActive}
        </Button>
        <ConfirmButton
          label={say.delete}
          sure={say.reallyDelete}
          disabled={busy}
          onConfirm={() => act(() => deleteOutcome(o.id))}
        />
      </div>
    </li>
  );
}
