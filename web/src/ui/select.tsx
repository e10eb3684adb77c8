import { type ReactNode, useId } from "react";
import { inputLook } from "./field";

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
  children: ReactNode;
  /** The label stands before it, in one line. */
  inline?: boolean;
}

/** One of many. */
export function Select({ label, value, onChange, children, inline = false }: Props) {
  const id = useId();
  return (
    <div className={inline ? "flex items-center gap-2" : "min-w-0"}>
      <label htmlFor={id} className={inline ? "text-sm text-soft" : "mb-1 block text-sm font-medium"}>
        {label}
      </label>
      <select id={id} value={value} onChange={(e) => onChange(e.target.value)} className={inputLook}>
        {children}
      </select>
    </div>
  );
}
