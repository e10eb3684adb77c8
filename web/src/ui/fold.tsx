import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";

interface Props {
  summary: ReactNode;
  children: ReactNode;
  open?: boolean;
  className?: string;
}

/** Something that is there when one wants it. */
export function Fold({ summary, children, open, className = "" }: Props) {
  return (
    <details open={open} className={`group/fold ${className}`}>
      <summary className="flex list-none items-center gap-1.5 rounded text-sm text-soft select-none hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight
          size={14}
          className="shrink-0 transition-transform group-open/fold:rotate-90"
          aria-hidden
        />
        {summary}
      </summary>
      <div className="mt-1.5">{children}</div>
    </details>
  );
}
