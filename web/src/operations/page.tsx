import { type ComponentType, lazy, Suspense } from "react";
import { Link } from "wouter";
import { Jobs } from "./jobs";
import { Models } from "./models";
import { Tools } from "./tools";
import { Triggers } from "./triggers";

const Usage = lazy(() => import("./usage"));

const tabs: { id: string; name: string; page: ComponentType }[] = [
  { id: "jobs", name: "Jobs", page: Jobs },
  { id: "triggers", name: "Triggers", page: Triggers },
  { id: "models", name: "Models", page: Models },
  { id: "tools", name: "Tools", page: Tools },
  { id: "usage", name: "Usage", page: Usage },
];

/** What the runtime does, for whoever looks after it. */
export default function Operations({ tab = "jobs" }: { tab?: string }) {
  const Page = tabs.find((t) => t.id === tab)?.page ?? Jobs;
  return (
    <main id="main" className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto max-w-5xl px-4 py-5">
        <h1 className="text-xl font-semibold">Operations</h1>
        <nav aria-label="Operations" className="mt-3 mb-5 flex gap-1 overflow-x-auto border-b border-line">
          {tabs.map((t) => (
            <Link
              key={t.id}
              href={`/operations/${t.id}`}
              aria-current={t.id === tab ? "page" : undefined}
              className={`-mb-px border-b-2 px-3 py-1.5 text-sm whitespace-nowrap ${t.id === tab ? "border-accent font-medium" : "border-transparent text-soft hover:text-ink"}`}
            >
              {t.name}
            </Link>
          ))}
        </nav>
        <Suspense fallback={<p className="text-faint">Loading…</p>}>
          <Page />
        </Suspense>
      </div>
    </main>
  );
}
