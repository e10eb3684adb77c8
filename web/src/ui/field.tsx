import { type InputHTMLAttributes, useId } from "react";

interface Props extends Omit<InputHTMLAttributes<HTMLInputElement>, "onChange"> {
  label: string;
  hint?: string;
  /** What is wrong with what was said. */
  error?: string;
  onChange: (value: string) => void;
}

export const inputLook =
  "w-full rounded-lg border border-edge bg-page px-3 py-1.5 text-sm placeholder:text-faint focus-visible:outline-offset-0";

export function Field({ label, hint, error, onChange, className = "", ...rest }: Props) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
      </label>
      <input
        id={id}
        {...rest}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}-error` : undefined}
        onChange={(e) => onChange(e.target.value)}
        className={inputLook}
      />
      {error && (
        <p id={`${id}-error`} role="alert" className="mt-1 text-xs text-bad">
          {error}
        </p>
      )}
      {hint && <p className="mt-1 text-xs text-faint">{hint}</p>}
    </div>
  );
}
