import {
  CalendarCheck,
  CircleHelp,
  FilePen,
  GitFork,
  type LucideIcon,
  Waypoints,
  Wrench,
} from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useLocation } from "wouter";
import { useModels } from "../models/list";
import { useAction } from "../ui/action";
import { Fold } from "../ui/fold";
import { Notice } from "../ui/notice";
import { words } from "../words";
import { phrase } from "../words/phrase";

const ConnectModel = lazy(() => import("../models/connect"));
const say = words.firstrun;

interface Example {
  icon: LucideIcon;
  text: { title: string; request: string };
  /** Makes what there is to see, and tells where. Without it the request is said in a chat. */
  make?: () => Promise<string>;
}

const examples: Example[] = [
  { icon: Wrench, text: say.examples.tools },
  { icon: GitFork, text: say.examples.agents },
  { icon: CircleHelp, text: say.examples.question },
  { icon: FilePen, text: say.examples.document },
  {
    icon: CalendarCheck,
    text: say.examples.plan,
    make: async () => (await import("./samples")).samplePlan(),
  },
  {
    icon: Waypoints,
    text: say.examples.graph,
    make: async () => (await import("./samples")).sampleGraph(),
  },
];

/** The page before the first message: what this is, and something to try. */
export function FirstRun({ onTry }: { onTry: (request: string) => void }) {
  const [, navigate] = useLocation();
  const { busy, error, run, clear } = useAction();
  const start = ({ text, make }: Example) => {
    if (make) {
      void run(async () => navigate(await make()));
    } else {
      onTry(text.request);
    }
  };
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto max-w-3xl px-4 pt-[6vh] pb-8">
        <h1 className="text-3xl font-semibold tracking-tight">{say.title}</h1>
        <p className="mt-3 max-w-2xl text-soft">{say.lead}</p>
        <ul className="mt-6 grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
          {examples.map((example) => (
            <li key={example.text.title}>
              <Card example={example} busy={busy} onStart={() => start(example)} />
            </li>
          ))}
        </ul>
        {busy && (
          <p role="status" className="mt-3 text-sm text-soft">
            {say.preparing}
          </p>
        )}
        {error && (
          <div className="mt-3">
            <Notice text={error} onClose={clear} />
          </div>
        )}
        <FirstModel />
      </div>
    </div>
  );
}

interface CardProps {
  example: Example;
  busy: boolean;
  onStart: () => void;
}

function Card({ example: { icon: Icon, text }, busy, onStart }: CardProps) {
  return (
    <button
      type="button"
      disabled={busy}
      onClick={onStart}
      className="flex h-full w-full flex-col items-start rounded-xl border border-line bg-raised p-4 text-left transition-colors hover:border-accent hover:bg-accent-wash disabled:opacity-50 max-sm:flex-row max-sm:gap-3 max-sm:p-3"
    >
      <Icon size={18} className="shrink-0 text-accent" aria-hidden />
      <span className="min-w-0">
        <span className="block text-sm text-soft sm:mt-2">{text.title}</span>
        <span className="mt-1 block font-medium">{text.request}</span>
      </span>
    </button>
  );
}

/** Connects a model as long as there is none but the demo model. */
function FirstModel() {
  const models = useModels().value?.items ?? [];
  const [saved, setSaved] = useState(false); // then the panel stays, to show how the test went
  const demo = models.length > 0 && models.every((m) => m.accessFormat === "demo");
  if (!demo && !saved) {
    return null;
  }
  return (
    <div className="mt-6 rounded-xl border border-line bg-panel p-4">
      {!saved && (
        <p className="mb-2 text-sm text-soft">
          {phrase(say.demo, { model: <strong>{say.demoModel}</strong> })}
        </p>
      )}
      <Fold summary={say.connect}>
        <Suspense>
          <ConnectModel models={models} onSaved={() => setSaved(true)} />
        </Suspense>
      </Fold>
    </div>
  );
}
