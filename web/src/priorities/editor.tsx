import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { ApiError, explain } from "../api/http";
import {
  changeOutcome,
  createOutcome,
  type Direction,
  directions,
  type Outcome,
  type OutcomeFields,
  type StatePreference,
} from "../api/priorities";
import { Button } from "../ui/button";
import { Choices } from "../ui/choices";
import { Field } from "../ui/field";
import { Notice } from "../ui/notice";
import { words } from "../words/priorities";
import { sentence } from "./sentence";

const say = words.editor;

interface Props {
  /** The one to change; without it a new one is made. */
  outcome?: Outcome;
  onSaved: () => Promise<void>;
  onClose: () => void;
}

const directionChoices = directions.map((d) => ({
  value: d,
  label: d.charAt(0).toUpperCase() + d.slice(1),
}));
const energyChoices: { value: StatePreference | ""; label: string }[] = [
  { value: "", label: say.either },
  { value: "Energized", label: say.energized },
  { value: "Low energy", label: say.lowEnergy },
];

interface Problem {
  /** The field that is wrong, "" if it is none. */
  field: string;
  text: string;
}

/** An outcome in its parts. The sentence builds as one types. */
export function OutcomeEditor({ outcome, onSaved, onClose }: Props) {
  const [direction, setDirection] = useState<Direction>(outcome?.direction ?? "increase");
  const [object, setObject] = useState(outcome?.object ?? "");
  const [metric, setMetric] = useState(outcome?.metric ?? "");
  const [clarifier, setClarifier] = useState(outcome?.clarifier ?? "");
  const [energy, setEnergy] = useState<StatePreference | "">(outcome?.state_preference ?? "");
  const [capacity, setCapacity] = useState(outcome?.daily_capacity_hours?.toString() ?? "");
  const [problem, setProblem] = useState<Problem>();
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);

  useEffect(() => {
    form.current?.querySelector<HTMLInputElement>("input:checked")?.focus();
  }, []);
  useEffect(() => {
    if (problem) {
      form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
    }
  }, [problem]);

  const save = async (e: FormEvent) => {
    e.preventDefault();
    const fields: OutcomeFields = {
      direction,
      object,
      metric,
      clarifier,
      state_preference: energy || null,
      daily_capacity_hours: capacity.trim() ? Number(capacity) : null,
    };
    setBusy(true);
    try {
      await (outcome ? changeOutcome(outcome.id, fields) : createOutcome(fields));
      await onSaved();
    } catch (error) {
      const field = error instanceof ApiError ? error.details.field : undefined;
      setProblem({ field: typeof field === "string" ? field : "", text: explain(error) });
      setBusy(false);
    }
  };
  const wrong = (field: string) =>
    problem?.field === field ? problem.text.replace(`${field} `, say.this) : undefined;
  const elsewhere =
    problem && !["object", "metric", "clarifier", "daily_capacity_hours"].includes(problem.field);
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key === "Escape") {
      onClose();
    }
  };
  return (
    <form ref={form} onSubmit={save} onKeyDown={onKeyDown} noValidate className="space-y-3">
      <output
        aria-live="polite"
        className="block rounded-lg bg-accent-wash px-3 py-2 font-medium break-words"
      >
        {sentence({ direction, object, metric, clarifier })}
      </output>
      <Choices legend={say.iWantTo} options={directionChoices} value={direction} onChange={setDirection} />
      <Field
        label={say.what}
        placeholder={say.whatExample}
        value={object}
        error={wrong("object")}
        onChange={setObject}
      />
      <Field
        label={say.measuredBy}
        placeholder={say.metricExample}
        value={metric}
        error={wrong("metric")}
        onChange={setMetric}
      />
      <Field
        label={say.clarifier}
        placeholder={say.clarifierExample}
        value={clarifier}
        error={wrong("clarifier")}
        onChange={setClarifier}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <Choices legend={say.energy} options={energyChoices} value={energy} onChange={setEnergy} />
        <Field
          label={say.hoursADay}
          type="number"
          min={0.25}
          max={24}
          step={0.25}
          inputMode="decimal"
          placeholder={say.noLimit}
          value={capacity}
          error={wrong("daily_capacity_hours")}
          onChange={setCapacity}
        />
      </div>
      <p className="text-xs text-faint">{say.energyHelp}</p>
      {elsewhere && <Notice text={problem.text} />}
      <div className="flex gap-2">
        <Button kind="primary" type="submit" disabled={busy}>
          {busy ? say.saving : say.save}
        </Button>
        <Button onClick={onClose}>{say.cancel}</Button>
      </div>
    </form>
  );
}
