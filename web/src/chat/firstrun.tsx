import { CircleHelp, GitFork, Wrench } from "lucide-react";
import { useState } from "react";
import { listModels } from "../api/operations";
import { ConnectModel } from "../models/connect";
import { Fold } from "../ui/fold";
import { useLoaded } from "../ui/loaded";

const examples = [
  {
    icon: Wrench,
    title: "Two tools at once",
    request: "What is 15% of 80, and what time is it in Tokyo?",
  },
  { icon: GitFork, title: "Work divided among agents", request: "Research Go, Rust and Zig." },
  { icon: CircleHelp, title: "An agent that asks you a question", request: "Book a table for two." },
];

/** The page before the first message: what this is, and something to try. */
export function FirstRun({ onTry }: { onTry: (request: string) => void }) {
  const { value, reload } = useLoaded(listModels); // not everybody may see them
  const models = value?.items ?? [];
  const [saved, setSaved] = useState(false); // then the panel stays, to show how the test went
  const onSaved = () => {
    setSaved(true);
    void reload();
  };
  const demo = models.length > 0 && models.every((m) => m.accessFormat === "demo");
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto max-w-3xl px-4 pt-[8vh] pb-8">
        <h1 className="text-3xl font-semibold tracking-tight">What would you like to get done?</h1>
        <p className="mt-3 max-w-2xl text-soft">
          You talk to an orchestrator. It answers, or gives the work to agents, which use tools, ask you when
          they need to and report here. You can look inside each of them while it works, and nothing is lost
          when a machine stops.
        </p>
        <ul className="mt-6 grid gap-3 sm:grid-cols-3">
          {examples.map(({ icon: Icon, title, request }) => (
            <li key={request}>
              <button
                type="button"
                onClick={() => onTry(request)}
                className="flex h-full w-full flex-col items-start rounded-xl border border-line bg-raised p-4 text-left transition-colors hover:border-accent hover:bg-accent-wash"
              >
                <Icon size={18} className="text-accent" aria-hidden />
                <span className="mt-2 block text-sm text-soft">{title}</span>
                <span className="mt-1 block font-medium">{request}</span>
              </button>
            </li>
          ))}
        </ul>
        {(demo || saved) && (
          <div className="mt-8 rounded-xl border border-line bg-panel p-4">
            <p className="mb-2 text-sm text-soft">
              No model is connected yet, so a <strong>demo model</strong> answers: a set of rules, not an AI,
              but enough to see everything work.
            </p>
            <Fold summary="Connect a model">
              <ConnectModel onSaved={onSaved} />
            </Fold>
          </div>
        )}
      </div>
    </div>
  );
}
