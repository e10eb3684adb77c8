import { type ReactNode, useId } from "react";

interface Props {
  title: string;
  icon: ReactNode;
  /** What stands at the end of the title's line. */
  aside?: ReactNode;
  children: ReactNode;
}

/** A part of the page. */
export function Section({ title, icon, aside, children }: Props) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="min-w-0 rounded-xl border border-line bg-page p-4">
      <div className="mb-2 flex items-center gap-2">
        <span className="text-soft">{icon}</span>
        <h2 id={id} className="flex-1 text-sm font-semibold">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
