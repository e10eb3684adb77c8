import { Copy, Plus } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import {
  createGraph,
  type Doc,
  deleteGraph,
  listGraphs,
  listTemplates,
  type SavedGraph,
  saveGraph,
  type Template,
} from "../api/graphs";
import { useFollowed } from "../data/followed";
import { graphPath } from "../place";
import { exactTime } from "../thread/format";
import { useAction } from "../ui/action";
import { Button } from "../ui/button";
import { ConfirmButton } from "../ui/confirm";
import { inputLook } from "../ui/field";
import { useLoaded } from "../ui/loaded";
import { Notice } from "../ui/notice";
import { words } from "../words/graphs";
import { phrase } from "../words/phrase";
import { forgetGraph, loadDraft, saveInput } from "./draft";
import { docOf } from "./drawing";
import { imported } from "./exchange";
import { ImportButton } from "./filebutton";
import { writtenInput } from "./input";

const say = words.page;

const kinds = ["agent_graphs"];
const empty: Doc = { name: say.newGraph, description: "", nodes: [], edges: [] };

/** All graphs of a person, and ways to begin one. */
export default function Graphs() {
  const [, navigate] = useLocation();
  const { value: graphs, error, reload } = useFollowed(listGraphs, kinds);
  const templates = useLoaded(listTemplates);
  const action = useAction();
  const make = (doc: () => Doc, input?: unknown) =>
    action.run(async () => {
      const made = await createGraph(docOf(doc()));
      if (input !== undefined) {
        saveInput(made.id, writtenInput(input));
      }
      navigate(graphPath(made.id));
    });
  const problem = action.error || error || templates.error;
  return (
    <main id="main" className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto max-w-5xl space-y-6 px-4 py-5">
        <div className="flex flex-wrap items-end gap-2">
          <div className="min-w-60 flex-1">
            <h1 className="text-xl font-semibold">{say.graphs}</h1>
            <p className="text-sm text-soft">{say.about}</p>
          </div>
          <ImportButton onText={(text) => void make(() => imported(text))} />
          <Button
            kind="primary"
            icon={<Plus size={15} aria-hidden />}
            disabled={action.busy}
            onClick={() => void make(() => empty)}
          >
            {say.newGraph}
          </Button>
        </div>
        {problem && <Notice text={problem} onClose={action.error ? action.clear : undefined} />}
        <section aria-label={say.yourGraphs}>
          {graphs?.length === 0 && <p className="text-faint">{say.none}</p>}
          <ul aria-label={say.graphs} className="divide-y divide-line">
            {graphs?.map((g) => (
              <Row key={g.id} graph={g} onChanged={reload} onClone={() => void make(() => copyOf(g))} />
            ))}
          </ul>
        </section>
        <section aria-label={say.templates}>
          <h2 className="mb-2 font-semibold">{say.beginWithTemplate}</h2>
          <ul className="grid gap-3 sm:grid-cols-2">
            {templates.value?.map((t) => (
              <TemplateCard
                key={t.id}
                template={t}
                busy={action.busy}
                onUse={() => void make(() => t, t.input)}
              />
            ))}
          </ul>
        </section>
      </div>
    </main>
  );
}

const copyOf = (g: SavedGraph): Doc => ({ ...g, name: say.copy(g.name) });

function TemplateCard({
  template: t,
  busy,
  onUse,
}: {
  template: Template;
  busy: boolean;
  onUse: () => void;
}) {
  return (
    <li className="flex flex-col gap-2 rounded-xl border border-line bg-panel p-4">
      <h3 className="font-medium">{t.name}</h3>
      <p className="flex-1 text-sm text-soft">{t.description}</p>
      <div className="flex items-center gap-2">
        <span className="flex-1 text-xs text-faint">{say.nodes(t.nodes.length)}</span>
        <Button disabled={busy} onClick={onUse}>
          {phrase(say.use, { name: <span className="sr-only">{t.name}</span> })}
        </Button>
      </div>
    </li>
  );
}

interface RowProps {
  graph: SavedGraph;
  onChanged: () => Promise<void>;
  onClone: () => void;
}

function Row({ graph, onChanged, onClone }: RowProps) {
  const [name, setName] = useState<string>();
  const action = useAction();
  const rename = async () => {
    if (name?.trim() && name !== graph.name) {
      await action.run(() => saveGraph(graph.id, graph.version, { name }));
      await onChanged();
    }
    setName(undefined);
  };
  const drop = async () => {
    if (await action.run(() => deleteGraph(graph.id))) {
      forgetGraph(graph.id);
    }
    await onChanged();
  };
  return (
    <li aria-label={graph.name} className="py-2.5">
      <div className="flex flex-wrap items-center gap-2">
        {name === undefined ? (
          <Link href={graphPath(graph.id)} className="min-w-40 flex-1 rounded-lg px-2 py-1 hover:bg-hover">
            <span className="block font-medium">{graph.name}</span>
            <span className="block text-xs text-faint">
              {say.nodes(graph.nodes.length)} · {exactTime(graph.updatedAt)}
              {loadDraft(graph.id) && say.notAllSaved}
            </span>
          </Link>
        ) : (
          <form
            className="flex min-w-40 flex-1 gap-2"
            onSubmit={(e) => {
              e.preventDefault();
              void rename();
            }}
          >
            <input
              aria-label={say.newName}
              value={name}
              maxLength={200}
              // biome-ignore lint/a11y/noAutofocus: whoever pressed Rename wants to write
              autoFocus
              onChange={(e) => setName(e.target.value)}
              onKeyDown={(e) => e.key === "Escape" && setName(undefined)}
              className={inputLook}
            />
            <Button type="submit" kind="primary" disabled={action.busy || !name.trim()}>
              {say.rename}
            </Button>
          </form>
        )}
        {name === undefined && <Button onClick={() => setName(graph.name)}>{say.rename}</Button>}
        <Button icon={<Copy size={14} aria-hidden />} onClick={onClone}>
          {say.clone}
        </Button>
        <ConfirmButton
          label={say.delete}
          sure={say.reallyDelete}
          disabled={action.busy}
          onConfirm={() => void drop()}
        />
      </div>
      {action.error && <Notice text={action.error} onClose={action.clear} />}
    </li>
  );
}
