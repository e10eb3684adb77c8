import { useReactFlow } from "@xyflow/react";
import { useCallback, useEffect, useRef, useState } from "react";
import { useSearch } from "wouter";
import type { Doc, GraphNode, NodeType } from "../api/graphs";
import { Button } from "../ui/button";
import { Notice } from "../ui/notice";
import { words } from "../words/graphs";
import { Canvas } from "./canvas";
import { copied, pasted } from "./clipboard";
import { addNode, connect, move, remove, sameWork, type Types } from "./drawing";
import { imported } from "./exchange";
import { nothing, type Selection } from "./flow";
import { LateNotice } from "./latenotice";
import { layout, type Sizes } from "./layout";
import { Palette } from "./palette";
import { ProblemList } from "./problemlist";
import type { Found } from "./problems";
import { useReport } from "./report";
import { useRun } from "./run";
import { useShortcuts } from "./shortcuts";
import { SidePanel, type Tab } from "./sidepanel";
import { Toolbar } from "./toolbar";
import type { Work } from "./work";

const say = words.studio;

interface Props {
  id: string;
  work: Work;
  doc: Doc;
  list: readonly NodeType[];
  types: Types;
}

const whole = { maxZoom: 1, padding: 0.15 };

/** The canvas with all that stands around it. */
export function Studio({ id, work, doc, list, types }: Props) {
  const [selection, setSelection] = useState<Selection>(nothing);
  const [sizes, setSizes] = useState<Sizes>(new Map());
  const [tab, setTab] = useState<Tab>("node");
  const [palette, setPalette] = useState(
    () => matchMedia(doc.nodes.length === 0 ? "(min-width: 768px)" : "(min-width: 1536px)").matches,
  );
  const [problem, setProblem] = useState("");
  const box = useRef<HTMLDivElement>(null);
  const { fitView, setCenter, getZoom, screenToFlowPosition } = useReactFlow();
  const { found, current } = useReport(doc);
  const view = useRun();
  const { edit } = work;

  const recorded = view.viewed?.recorded ? view.viewed.run.graph : undefined;
  const graph = recorded ?? doc;
  const readOnly = recorded !== undefined;
  const selectNode = useCallback((node: string) => setSelection({ ...nothing, nodes: new Set([node]) }), []);
  const select = useCallback((to: Selection) => setSelection(to), []);

  const add = (type: string, position: GraphNode["position"]) => {
    const made = addNode(doc, type, { x: Math.round(position.x), y: Math.round(position.y) });
    edit(() => made.graph);
    selectNode(made.id);
    setTab("node");
  };
  const addInTheMiddle = (type: string) => {
    const r = box.current?.getBoundingClientRect();
    const middle = screenToFlowPosition({
      x: (r?.x ?? 0) + (r?.width ?? 0) / 2,
      y: (r?.y ?? 0) + (r?.height ?? 0) / 2,
    });
    const at = { x: middle.x - 112, y: middle.y - 60 };
    while (doc.nodes.some((n) => Math.hypot(n.position.x - at.x, n.position.y - at.y) < 30)) {
      at.x += 40;
      at.y += 40;
    }
    add(type, at);
  };
  const removeChosen = () => {
    if (!readOnly && selection.nodes.size + selection.edges.size > 0) {
      edit((d) => remove(d, selection.nodes, selection.edges));
      setSelection(nothing);
    }
  };
  const arrange = () => {
    edit((d) => move(d, layout(d, sizes)));
    requestAnimationFrame(() => void fitView(whole));
  };
  const replaceBy = (text: string) => {
    try {
      const doc = imported(text);
      edit(() => doc);
      setSelection(nothing);
      setProblem("");
      requestAnimationFrame(() => void fitView(whole));
    } catch (e) {
      setProblem((e as Error).message);
    }
  };
  const paste = (text: string) => {
    const result = readOnly ? undefined : pasted(doc, text);
    if (result) {
      edit(() => result.graph);
      setSelection({ ...nothing, nodes: result.ids });
    }
    return result !== undefined;
  };
  const jump = ({ problem: p, edge }: Found) => {
    const node = graph.nodes.find((n) => n.id === p.nodeId);
    setSelection({ nodes: new Set(node && !edge ? [node.id] : []), edges: new Set(edge ? [edge] : []) });
    setTab("node");
    if (node) {
      const { width = 220, height = 120 } = sizes.get(node.id) ?? {};
      void setCenter(node.position.x + width / 2, node.position.y + height / 2, {
        zoom: Math.max(getZoom(), 0.7),
      });
    }
  };
  useShortcuts({
    undo: () => readOnly || work.undo(),
    redo: () => readOnly || work.redo(),
    save: () => void (!readOnly && work.dirty && work.save()),
    remove: removeChosen,
    selectAll: () => setSelection({ ...nothing, nodes: new Set(graph.nodes.map((n) => n.id)) }),
    fit: () => void fitView(whole),
    copy: () => (selection.nodes.size > 0 ? copied(graph, selection.nodes) : ""),
    paste,
  });

  const errors = found.filter((f) => f.severity === "error").length;
  const blocked = readOnly ? say.backToRun : !current ? say.checking : errors > 0 ? say.errorsFirst : "";
  const openRun = async (runId: string) => {
    setSelection(nothing);
    await view.open(runId, (graph) => !sameWork(graph, doc));
    setTab("run");
  };
  const named = new URLSearchParams(useSearch()).get("run");
  const opens = useRef(openRun);
  opens.current = openRun;
  useEffect(() => {
    if (named) {
      void opens.current(named);
    }
  }, [named]);
  return (
    <main id="main" className="flex min-h-0 flex-1 flex-col">
      <Toolbar
        work={work}
        readOnly={readOnly}
        palette={palette}
        onPalette={() => setPalette(!palette)}
        onLayout={arrange}
        onImport={replaceBy}
      />
      <LateNotice work={work} />
      {work.error && <Notice text={work.error} onClose={work.clearError} />}
      {problem && <Notice text={problem} onClose={() => setProblem("")} />}
      {readOnly && (
        <div role="status" className="flex flex-wrap items-center gap-2 bg-run-wash px-3 py-1.5 text-sm">
          <span className="flex-1">{say.asItWas}</span>
          <Button onClick={view.close}>{say.backToEditing}</Button>
        </div>
      )}
      <div className="flex min-h-0 flex-1 max-md:flex-col">
        {palette && !readOnly && (
          <div className="w-48 shrink-0 border-line xl:w-56 max-md:h-48 max-md:w-full max-md:border-b md:border-r">
            <Palette types={list} onAdd={addInTheMiddle} />
          </div>
        )}
        <div className="flex min-h-0 min-w-0 flex-1 flex-col max-md:min-h-56">
          <div ref={box} className="relative min-h-0 flex-1">
            <Canvas
              key={recorded ? view.viewed?.run.id : "drawing"}
              graph={graph}
              types={types}
              found={readOnly ? [] : found}
              moment={view.moment}
              selection={selection}
              sizes={sizes}
              readOnly={readOnly}
              onSizes={setSizes}
              onSelect={select}
              onMove={(to) => edit((d) => move(d, to))}
              onConnect={(e) => edit((d) => connect(d, types, e))}
              onAdd={add}
            />
            {graph.nodes.length === 0 && (
              <p className="pointer-events-none absolute inset-0 flex items-center justify-center p-8 text-center text-soft">
                {say.empty}
              </p>
            )}
          </div>
          {!readOnly && (
            <div className="border-t border-line bg-page">
              <ProblemList found={found} onJump={jump} />
            </div>
          )}
        </div>
        <SidePanel
          id={id}
          tab={tab}
          onTab={setTab}
          doc={{ ...doc, ...graph }}
          types={types}
          selection={selection}
          found={readOnly ? [] : found}
          readOnly={readOnly}
          blocked={blocked}
          view={view}
          work={work}
          onSelectNode={selectNode}
          onOpenRun={(runId) => void openRun(runId)}
        />
      </div>
    </main>
  );
}
