import { CircleHelp } from "lucide-react";
import type { Dependency, Plan } from "../api/priorities";
import { Fold } from "../ui/fold";
import { words } from "../words/priorities";
import { orders } from "./layout";
import { Section } from "./section";
import { dependencyWords, sourceWords, type Tasks } from "./words";

const say = words.why;

interface Props {
  plan: Plan;
  notices: readonly string[];
  tasks: Tasks;
}

const atFirst = 8;

/** Why this order: in a few words, then dependency by dependency. */
export function Why({ plan, notices, tasks }: Props) {
  const ordering = plan.dependencies.filter(orders);
  const broken = plan.broken_cycles ?? [];
  return (
    <Section title={say.title} icon={<CircleHelp size={16} aria-hidden />}>
      <p className="max-w-3xl text-sm whitespace-pre-wrap break-words">{plan.synthesis_summary}</p>
      {ordering.length > 0 && (
        <Fold summary={say.depends(ordering.length)} open={ordering.length <= atFirst} className="mt-3">
          <Sentences list={ordering} tasks={tasks} />
        </Fold>
      )}
      {broken.length > 0 && (
        <Fold summary={say.leftOut(broken.length)} open className="mt-3">
          <Sentences list={broken} tasks={tasks} />
        </Fold>
      )}
      {notices.length > 0 && (
        <Fold summary={say.repaired(notices.length)} open className="mt-3">
          <ul className="list-disc space-y-1 pl-5 text-sm text-soft">
            {notices.map((n) => (
              <li key={n} className="break-words">
                {n}
              </li>
            ))}
          </ul>
        </Fold>
      )}
    </Section>
  );
}

function Sentences({ list, tasks }: { list: readonly Dependency[]; tasks: Tasks }) {
  return (
    <ul className="list-disc space-y-1 pl-5 text-sm">
      {list.map((d) => (
        <li key={`${d.source_task_id} ${d.target_task_id} ${d.relationship_type}`} className="break-words">
          {dependencyWords(d, tasks)} <span className="text-xs text-faint">({sourceWords(d)})</span>
        </li>
      ))}
    </ul>
  );
}
