import { type ComponentType, lazy, Suspense, useEffect, useRef } from "react";
import { Link } from "wouter";
import { whoAmI } from "../api/me";
import { Boundary } from "../ui/boundary";
import { useLoaded } from "../ui/loaded";
import { Notice } from "../ui/notice";
import { words } from "../words/operations";
import { Jobs } from "./jobs";
import { Keys } from "./keys";
import { Models } from "./models";
import { Runs } from "./runs";
import { type Standing, useStanding } from "./standing";
import { Tools } from "./tools";
import { Triggers } from "./triggers";
import { Users } from "./users";

const say = words;

const Metrics = lazy(() => import("./metrics"));
const Usage = lazy(() => import("./usage"));

interface Tab {
  id: keyof typeof say.tabs;
  page: ComponentType;
  /** What the server shows to administrators alone. */
  admin?: boolean;
  /** What there is to look at. */
  badge?: (s: Standing) => { count: number; label: string };
}

const tabs: Tab[] = [
  { id: "runs", page: Runs },
  {
    id: "jobs",
    page: Jobs,
    admin: true,
    badge: ({ dead }) => ({ count: dead, label: say.badges.dead(dead) }),
  },
  {
    id: "triggers",
    page: Triggers,
    admin: true,
    badge: ({ off }) => ({ count: off.length, label: say.badges.off(off.length) }),
  },
  { id: "models", page: Models },
  { id: "tools", page: Tools },
  { id: "usage", page: Usage },
  { id: "metrics", page: Metrics },
  { id: "keys", page: Keys },
  { id: "users", page: Users, admin: true },
];

/** What the runtime does, for whoever looks after it. */
export default function Operations({ tab }: { tab?: string }) {
  const { value: me, error } = useLoaded(whoAmI);
  const standing = useStanding(me?.admin ?? false);
  const shown = tabs.filter((t) => me?.admin || !t.admin);
  const current = shown.find((t) => t.id === tab) ?? shown[0];
  return (
    <main id="main" className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto max-w-5xl px-4 py-5">
        <h1 className="text-xl font-semibold">{say.title}</h1>
        {error && <Notice text={error} />}
        {me && current && (
          <>
            <nav
              aria-label={say.title}
              className="mt-3 mb-5 flex gap-1 overflow-x-auto overflow-y-hidden border-b border-line"
            >
              {shown.map((t) => (
                <TabLink key={t.id} tab={t} current={t === current} standing={standing} />
              ))}
            </nav>
            {standing.off.length > 0 && current.id !== "triggers" && <OffNotice ids={standing.off} />}
            <Boundary key={current.id} what={say.tabs[current.id]}>
              <Suspense fallback={<p className="text-faint">{say.loading}</p>}>
                <current.page />
              </Suspense>
            </Boundary>
          </>
        )}
      </div>
    </main>
  );
}

/** While a stage is off, what seems broken may be that. */
function OffNotice({ ids }: { ids: string[] }) {
  return (
    <p role="status" className="mb-4 rounded-lg bg-wait-wash px-3 py-2 text-sm text-wait">
      {say.off.notice(ids.join(", "))}{" "}
      <Link href="/operations/triggers" className="font-medium underline">
        {say.off.look}
      </Link>
    </p>
  );
}

function TabLink({ tab, current, standing }: { tab: Tab; current: boolean; standing: Standing }) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (current) {
      link.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  }, [current]);
  const badge = tab.badge?.(standing);
  return (
    <Link
      ref={link}
      href={`/operations/${tab.id}`}
      aria-current={current ? "page" : undefined}
      className={`-mb-px border-b-2 px-3 py-1.5 text-sm whitespace-nowrap ${current ? "border-accent font-medium" : "border-transparent text-soft hover:text-ink"}`}
    >
      {say.tabs[tab.id]}
      {badge !== undefined && badge.count > 0 && (
        <span
          title={badge.label}
          className="ml-1.5 rounded-full bg-wait-wash px-1.5 py-0.5 text-xs font-medium text-wait"
        >
          {badge.count}
          <span className="sr-only"> {badge.label}</span>
        </span>
      )}
    </Link>
  );
}
