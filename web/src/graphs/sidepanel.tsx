import type { Doc } from "../api/graphs";
import { Boundary } from "../ui/boundary";
import { words } from "../words/graphs";
import type { Types } from "./drawing";
import type { Selection } from "./flow";
import { GraphPanel } from "./graphpanel";
import { NodePanel } from "./nodepanel";
import type { Found } from "./problems";
import type { RunView } from "./run";
import { RunList } from "./runlist";
import { RunPanel } from "./runpanel";
import type { Work } from "./work";

const say = words.sidepanel;

const tabs = say.tabs;
export type Tab = keyof typeof tabs;

interface Props {
  id: string;
  tab: Tab;
  onTab: (tab: Tab) => void;
  /** What is shown, which is the recorded graph of a run or the one that is drawn. */
  doc: Doc;
  types: Types;
  selection: Selection;
  found: readonly Found[];
  readOnly: boolean;
  blocked: string;
  view: RunView;
  work: Work;
  onSelectNode: (id: string) => void;
  onOpenRun: (id: string) => void;
}

/** What stands beside the canvas: the form of what is chosen, the run, or the runs so far. */
export function SidePanel(props: Props) {
  const { id, tab, onTab, doc, types, selection, found, readOnly, blocked, view, work } = props;
  const [chosen] = selection.nodes;
  const node = doc.nodes.find((n) => n.id === chosen);
  return (
    <aside
      aria-label={say.details}
      className="flex w-72 shrink-0 xl:w-80 flex-col border-line max-md:h-2/5 max-md:w-full max-md:border-t md:border-l"
    >
      <div role="tablist" aria-label={say.details} className="flex gap-1 border-b border-line px-2">
        {(Object.keys(tabs) as Tab[]).map((t) => (
          <button
            key={t}
            type="button"
            role="tab"
            aria-selected={t === tab}
            onClick={() => onTab(t)}
            className={`-mb-px border-b-2 px-3 py-1.5 text-sm ${t === tab ? "border-accent font-medium" : "border-transparent text-soft hover:text-ink"}`}
          >
            {tabs[t]}
          </button>
        ))}
      </div>
      <div role="tabpanel" aria-label={tabs[tab]} className="min-h-0 flex-1 overflow-y-auto p-3">
        <Boundary key={tab} what={tabs[tab]}>
          {tab === "history" && (
            <RunList
              graphId={id}
              currentId={view.viewed?.run.id}
              onOpen={props.onOpenRun}
              onSelectNode={props.onSelectNode}
            />
          )}
          {tab === "run" && (
            <RunPanel
              graphId={id}
              view={view}
              selection={selection}
              blocked={blocked}
              save={async () => !work.dirty || (await work.save())}
              onSelectNode={props.onSelectNode}
            />
          )}
          {tab === "node" &&
            (node ? (
              <NodePanel
                key={node.id}
                doc={doc}
                node={node}
                types={types}
                problems={found.filter((f) => f.problem.nodeId === node.id)}
                readOnly={readOnly}
                edit={work.edit}
                onRenamed={props.onSelectNode}
              />
            ) : (
              <GraphPanel doc={doc} readOnly={readOnly} edit={work.edit} />
            ))}
        </Boundary>
      </div>
    </aside>
  );
}
