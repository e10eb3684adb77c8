import { type ReactNode, useId } from "react";
import { inputLook } from "../ui/field";

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
  children: ReactNode;
}

/** One of many. */
export function Select({ label, value, onChange, children }: Props) {
  const id = useId();
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
      </label>
      <select id={id} value={value} onChange={(e) => onChange(e.target.value)} className={inputLook}>
        {children}
      </select>
    </div>
  );
}
