import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { CircleAlert, TriangleAlert } from "lucide-react";
import { memo } from "react";
import type { NodeType, Port, Turn } from "../api/graphs";
import { StatusIcon } from "../ui/status";
import { words } from "../words/graphs";
import { fits } from "./drawing";
import { portColour, statusOf } from "./looks";
import type { Found } from "./problems";

const say = words.node;

/** The port that an edge is being drawn from. */
export interface Pulled {
  nodeId: string;
  portId: string;
  kind: "source" | "target";
  type: string;
}

export type NodeView = Node<
  {
    id: string;
    typeId: string;
    type?: NodeType;
    /** What stands below the name: what the node is told. */
    summary: string;
    problems: readonly Found[];
    status?: Turn["status"];
    pulled?: Pulled;
  },
  "graph"
>;

const frames = {
  running: "border-run ring-4 ring-run/30",
  success: "border-good",
  failed: "border-bad ring-4 ring-bad/25",
  cancelled: "border-edge",
  paused: "border-wait",
};

/** A node with its ports: inputs at the left, outputs at the right. */
export const GraphNodeView = memo(function GraphNodeView({ data, selected }: NodeProps<NodeView>) {
  const { type, problems } = data;
  const status = data.status && statusOf(data.status);
  const isWrong = problems.some((p) => p.severity === "error");
  const frame = status ? frames[status] : isWrong ? "border-bad" : "border-line";
  const rows = Math.max(type?.inputs.length ?? 0, type?.outputs.length ?? 0);
  return (
    <div
      data-node={data.id}
      data-status={data.status}
      className={`w-56 rounded-xl border-2 bg-raised text-sm shadow-sm ${frame} ${selected ? "outline-2 outline-offset-2 outline-accent" : ""}`}
    >
      <div className="flex items-start gap-1.5 px-3 pt-2 pb-1">
        <div className="min-w-0 flex-1">
          <div className="truncate font-medium">{data.id}</div>
          <div className="truncate text-xs text-faint">{data.typeId}</div>
        </div>
        {status && <StatusIcon status={status} />}
        {problems.length > 0 && <Badge problems={problems} isWrong={isWrong} />}
      </div>
      {data.summary && <p className="truncate px-3 pb-1 text-xs text-soft italic">{data.summary}</p>}
      <div className="border-t border-line py-1">
        {Array.from({ length: rows }, (_, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is its number
          <div key={i} className="relative flex h-6 items-center justify-between px-3 text-xs">
            <PortView port={type?.inputs[i]} kind="target" data={data} />
            <PortView port={type?.outputs[i]} kind="source" data={data} />
          </div>
        ))}
      </div>
    </div>
  );
});

function Badge({ problems, isWrong }: { problems: readonly Found[]; isWrong: boolean }) {
  const words = problems.map((p) => p.problem.message).join("\n");
  const Icon = isWrong ? CircleAlert : TriangleAlert;
  return (
    <span role="img" aria-label={words} title={words} className={isWrong ? "text-bad" : "text-wait"}>
      <Icon size={15} />
    </span>
  );
}

interface PortProps {
  port: Port | undefined;
  kind: "source" | "target";
  data: NodeView["data"];
}

function PortView({ port, kind, data: { id, pulled } }: PortProps) {
  if (!port) {
    return <span />;
  }
  const isFailure = kind === "source" && (port.id === "onError" || port.id === "error");
  return (
    <>
      <span
        className={`truncate ${isFailure ? "text-faint" : "text-soft"}`}
        title={`${port.type}${port.description ? `: ${port.description}` : ""}`}
      >
        {port.id}
        {port.required && <span className="text-bad">*</span>}
      </span>
      <Handle
        id={port.id}
        type={kind}
        position={kind === "target" ? Position.Left : Position.Right}
        title={say.port(kind === "target", port.id, id, port.type)}
        className={`port-${port.type} ${pulled ? matching(pulled, id, port, kind) : ""}`}
        style={{ background: portColour(port.type) }}
      />
    </>
  );
}

/** Shows where the edge that is being drawn can end. */
function matching(pulled: Pulled, id: string, port: Port, kind: "source" | "target"): string {
  if (pulled.nodeId === id && pulled.portId === port.id && pulled.kind === kind) {
    return "";
  }
  const isOther = pulled.kind !== kind;
  const takes = kind === "target" ? fits(pulled.type, port.type) : fits(port.type, pulled.type);
  return isOther && takes ? "port-fit" : "port-misfit";
}
