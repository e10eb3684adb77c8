import { useId } from "react";

interface Props<T extends string> {
  legend: string;
  options: readonly { value: T; label: string }[];
  value: T;
  onChange: (value: T) => void;
  /** The legend is said to screen readers only. */
  quiet?: boolean;
}

/** One of a few, all in sight. */
export function Choices<T extends string>({ legend, options, value, onChange, quiet }: Props<T>) {
  const name = useId();
  return (
    <fieldset>
      <legend className={quiet ? "sr-only" : "mb-1 text-sm font-medium"}>{legend}</legend>
      <div className="flex flex-wrap gap-2">
        {options.map((o) => (
          <label
            key={o.value}
            className="relative cursor-pointer rounded-lg border border-line bg-raised px-3 py-1 text-sm hover:bg-hover has-checked:border-accent has-checked:bg-accent-wash has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={name}
              className="sr-only"
              checked={o.value === value}
              onChange={() => onChange(o.value)}
            />
            {o.label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
