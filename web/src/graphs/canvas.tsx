import {
  Background,
  type Connection,
  Controls,
  type EdgeChange,
  MiniMap,
  type NodeChange,
  ReactFlow,
  useReactFlow,
} from "@xyflow/react";
import { type DragEvent, useCallback, useMemo, useRef, useState } from "react";
import type { Drawn, GraphEdge, GraphNode } from "../api/graphs";
import { connectable, type Types } from "./drawing";
import { type EdgeView, GraphEdgeView } from "./edge";
import { type Ends, edgeOf, edgesOf, nodesOf, placed, type Selection } from "./flow";
import type { Sizes } from "./layout";
import { GraphNodeView, type NodeView, type Pulled } from "./node";
import { byNode, type Found } from "./problems";
import type { Moment } from "./replay";
import "@xyflow/react/dist/base.css";
import "./graphs.css";
import { words } from "../words/graphs";

const say = words.canvas;

/** What a type that is dragged from the palette is known by. */
export const draggedType = "application/x-nestor-node";

const nodeTypes = { graph: GraphNodeView };
const edgeTypes = { graph: GraphEdgeView };
const labels = {
  "node.a11yDescription.default": say.nodeKeys,
  "edge.a11yDescription.default": say.edgeKeys,
};

interface Props {
  graph: Drawn;
  types: Types;
  found: readonly Found[];
  moment?: Moment;
  selection: Selection;
  sizes: Sizes;
  readOnly: boolean;
  onSizes: (sizes: Sizes) => void;
  onSelect: (selection: Selection) => void;
  onMove: (to: ReadonlyMap<string, GraphNode["position"]>) => void;
  onConnect: (edge: GraphEdge) => void;
  onAdd: (type: string, position: GraphNode["position"]) => void;
}

/** The graph, to look at and to draw. */
export function Canvas(props: Props) {
  const { graph, types, found, moment, selection, sizes, readOnly } = props;
  const { onSizes, onSelect, onMove, onConnect, onAdd } = props;
  const [dragged, setDragged] = useState<ReadonlyMap<string, GraphNode["position"]>>(new Map());
  const [pulled, setPulled] = useState<Pulled>();
  const [isDrawn] = useState(graph.nodes.length > 0); // what is drawn later is not moved under the hand
  const { screenToFlowPosition } = useReactFlow();
  const problems = useMemo(() => byNode(found), [found]);
  const shown = useMemo(
    () => ({ types, selection, problems, moment, sizes, pulled }),
    [types, selection, problems, moment, sizes, pulled],
  );
  const resting = useMemo(() => nodesOf(graph, shown), [graph, shown]);
  const nodes = useMemo(() => placed(resting, dragged), [resting, dragged]);
  const edges = useMemo(() => edgesOf(graph, found, shown), [graph, found, shown]);

  // Changes come one by one within an event, so what is newest is kept outside of the state.
  const newest = useRef({ selection, sizes });
  newest.current = { selection, sizes };
  const choose = useCallback(
    (part: "nodes" | "edges", changes: readonly { id: string; selected: boolean }[]) => {
      if (changes.length === 0) {
        return;
      }
      const chosen = new Set(newest.current.selection[part]);
      for (const { id, selected } of changes) {
        if (selected) {
          chosen.add(id);
        } else {
          chosen.delete(id);
        }
      }
      newest.current.selection = { ...newest.current.selection, [part]: chosen };
      onSelect(newest.current.selection);
    },
    [onSelect],
  );
  const onNodesChange = useCallback(
    (changes: NodeChange<NodeView>[]) => {
      const measured = changes.flatMap((c) => (c.type === "dimensions" && c.dimensions ? [c] : []));
      if (measured.length > 0) {
        const all = new Map(newest.current.sizes);
        for (const { id, dimensions } of measured) {
          if (dimensions) {
            all.set(id, dimensions);
          }
        }
        newest.current.sizes = all;
        onSizes(all);
      }
      choose(
        "nodes",
        changes.filter((c) => c.type === "select"),
      );
      const moves = changes.flatMap((c) => (c.type === "position" && c.position ? [c] : []));
      if (moves.length > 0) {
        const to = new Map(moves.map((c) => [c.id, c.position ?? { x: 0, y: 0 }]));
        const isDragging = moves.some((c) => c.dragging);
        setDragged(isDragging ? to : new Map());
        if (!isDragging) {
          onMove(to);
        }
      }
    },
    [choose, onMove, onSizes],
  );
  const onEdgesChange = useCallback(
    (changes: EdgeChange<EdgeView>[]) =>
      choose(
        "edges",
        changes.filter((c) => c.type === "select"),
      ),
    [choose],
  );
  const isValid = useCallback((c: Ends) => connectable(graph, types, edgeOf(c)), [graph, types]);
  const onDrop = (e: DragEvent) => {
    const type = e.dataTransfer.getData(draggedType);
    if (type && !readOnly) {
      e.preventDefault();
      onAdd(type, screenToFlowPosition({ x: e.clientX - 60, y: e.clientY - 20 }));
    }
  };
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      onNodesChange={onNodesChange}
      onEdgesChange={onEdgesChange}
      onConnect={(c: Connection) => onConnect(edgeOf(c))}
      isValidConnection={isValid}
      onConnectStart={(_, { nodeId, handleId, handleType }) =>
        setPulled(pulledFrom(graph, types, nodeId, handleId, handleType))
      }
      onConnectEnd={() => setPulled(undefined)}
      onDragOver={(e) => {
        if (e.dataTransfer.types.includes(draggedType)) {
          e.preventDefault();
        }
      }}
      onDrop={onDrop}
      nodesDraggable={!readOnly}
      nodesConnectable={!readOnly}
      deleteKeyCode={null}
      multiSelectionKeyCode={["Shift", "Control", "Meta"]}
      fitView={isDrawn}
      fitViewOptions={{ maxZoom: 1, padding: 0.15 }}
      minZoom={0.03}
      ariaLabelConfig={labels}
      aria-label={say.graph}
    >
      <Background />
      <Controls
        orientation="horizontal"
        showInteractive={false}
        fitViewOptions={{ maxZoom: 1, padding: 0.15 }}
      />
      <MiniMap pannable zoomable style={{ width: 150, height: 100 }} className="max-md:hidden!" />
    </ReactFlow>
  );
}

function pulledFrom(
  graph: Drawn,
  types: Types,
  nodeId: string | null,
  portId: string | null,
  kind: "source" | "target" | null,
): Pulled | undefined {
  const type = types.get(graph.nodes.find((n) => n.id === nodeId)?.nodeId ?? "");
  const port = (kind === "source" ? type?.outputs : type?.inputs)?.find((p) => p.id === portId);
  return nodeId && portId && kind && port ? { nodeId, portId, kind, type: port.type } : undefined;
}
