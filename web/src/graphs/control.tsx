import { useEffect, useId, useState } from "react";
import { inputLook } from "../ui/field";
import { words } from "../words/graphs";
import { type Control, meant, shown } from "./form";

const say = words.control;

interface Props {
  control: Control;
  value: unknown;
  readOnly: boolean;
  onChange: (value: unknown) => void;
}

/** Asks for one parameter. What is typed stays as it was typed while it means the same. */
export function ParameterControl({ control, value, readOnly, onChange }: Props) {
  const { kind, label, hint, required, options = [] } = control;
  const id = useId();
  const [text, setText] = useState(() => shown(kind, value));
  useEffect(() => {
    setText((now) => (JSON.stringify(meant(kind, now)) === JSON.stringify(value) ? now : shown(kind, value)));
  }, [kind, value]);
  const change = (to: string) => {
    setText(to);
    onChange(meant(kind, to));
  };
  const common = {
    id,
    value: text,
    disabled: readOnly,
    "aria-describedby": hint ? `${id}-hint` : undefined,
    onChange: (e: { target: { value: string } }) => change(e.target.value),
  };
  const choices = kind === "yes-no" ? ["true", "false"] : options;
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
        {required && <span className="text-bad"> *</span>}
      </label>
      {kind === "choice" || kind === "yes-no" ? (
        <select {...common} className={inputLook}>
          <option value="">{say.notSet}</option>
          {choices.map((o) => (
            <option key={o} value={o}>
              {kind === "yes-no" ? (o === "true" ? say.yes : say.no) : o}
            </option>
          ))}
        </select>
      ) : kind === "line" || kind === "number" ? (
        <input
          {...common}
          type={kind === "number" ? "number" : "text"}
          step="any"
          min={control.minimum}
          max={control.maximum}
          className={inputLook}
        />
      ) : (
        <textarea
          {...common}
          rows={kind === "lines" ? 3 : 2}
          spellCheck={kind === "text"}
          className={`${inputLook} field-sizing-content max-h-60 ${kind === "text" ? "" : "font-mono"}`}
        />
      )}
      {(hint || kind === "lines" || kind === "json") && (
        <p id={`${id}-hint`} className="mt-1 text-xs text-faint">
          {hint} {kind === "lines" && say.oneInEachLine} {kind === "json" && say.jsonOrWords}
        </p>
      )}
    </div>
  );
}
