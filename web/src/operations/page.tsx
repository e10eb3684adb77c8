import { type ComponentType, lazy, Suspense, useEffect, useRef } from "react";
import { Link } from "wouter";
import { whoAmI } from "../api/me";
import { Boundary } from "../ui/boundary";
import { useLoaded } from "../ui/loaded";
import { Notice } from "../ui/notice";
import { Jobs } from "./jobs";
import { Keys } from "./keys";
import { Models } from "./models";
import { Tools } from "./tools";
import { Triggers } from "./triggers";
import { Users } from "./users";

const Metrics = lazy(() => import("./metrics"));
const Usage = lazy(() => import("./usage"));

interface Tab {
  id: string;
  name: string;
  page: ComponentType;
  /** What the server shows to administrators alone. */
  admin?: boolean;
}

const tabs: Tab[] = [
  { id: "jobs", name: "Jobs", page: Jobs, admin: true },
  { id: "triggers", name: "Triggers", page: Triggers, admin: true },
  { id: "models", name: "Models", page: Models },
  { id: "tools", name: "Tools", page: Tools },
  { id: "usage", name: "Usage", page: Usage },
  { id: "metrics", name: "Metrics", page: Metrics },
  { id: "keys", name: "Keys", page: Keys },
  { id: "users", name: "Users", page: Users, admin: true },
];

/** What the runtime does, for whoever looks after it. */
export default function Operations({ tab }: { tab?: string }) {
  const { value: me, error } = useLoaded(whoAmI);
  const shown = tabs.filter((t) => me?.admin || !t.admin);
  const current = shown.find((t) => t.id === tab) ?? shown[0];
  return (
    <main id="main" className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto max-w-5xl px-4 py-5">
        <h1 className="text-xl font-semibold">Operations</h1>
        {error && <Notice text={error} />}
        {me && current && (
          <>
            <nav
              aria-label="Operations"
              className="mt-3 mb-5 flex gap-1 overflow-x-auto border-b border-line"
            >
              {shown.map((t) => (
                <TabLink key={t.id} tab={t} current={t === current} />
              ))}
            </nav>
            <Boundary key={current.id} what={current.name}>
              <Suspense fallback={<p className="text-faint">Loading…</p>}>
                <current.page />
              </Suspense>
            </Boundary>
          </>
        )}
      </div>
    </main>
  );
}

function TabLink({ tab, current }: { tab: Tab; current: boolean }) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (current) {
      link.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  }, [current]);
  return (
    <Link
      ref={link}
      href={`/operations/${tab.id}`}
      aria-current={current ? "page" : undefined}
      className={`-mb-px border-b-2 px-3 py-1.5 text-sm whitespace-nowrap ${current ? "border-accent font-medium" : "border-transparent text-soft hover:text-ink"}`}
    >
      {tab.name}
    </Link>
  );
}
