import { Trash2, X } from "lucide-react";
import { useEffect, useId, useState } from "react";
import type { Doc, GraphEdge, GraphNode, NodeType } from "../api/graphs";
import { Button, IconButton } from "../ui/button";
import { Field, inputLook } from "../ui/field";
import { Fold } from "../ui/fold";
import { words } from "../words/graphs";
import { ParameterControl } from "./control";
import {
  change,
  connect,
  connectable,
  fits,
  isId,
  keyOf,
  remove,
  rename,
  setParameter,
  type Types,
} from "./drawing";
import { controlsOf } from "./form";
import type { Found } from "./problems";
import type { Edit } from "./work";

const say = words.nodepanel;

interface Props {
  doc: Doc;
  node: GraphNode;
  types: Types;
  problems: readonly Found[];
  readOnly: boolean;
  edit: Edit;
  onRenamed: (id: string) => void;
}

/** The form of a node: its name, its parameters, and what it is connected with. */
export function NodePanel({ doc, node, types, problems, readOnly, edit, onRenamed }: Props) {
  const type = types.get(node.nodeId);
  return (
    <section aria-label={say.node(node.id)} className="space-y-4">
      <NodeName doc={doc} node={node} readOnly={readOnly} edit={edit} onRenamed={onRenamed} />
      <p className="text-sm text-soft">{type?.description ?? say.unknownType(node.nodeId)}</p>
      {problems.length > 0 && (
        <ul aria-label={say.problems} className="space-y-1 text-sm">
          {problems.map((p) => (
            <li
              key={p.problem.code + p.problem.message}
              className={p.severity === "error" ? "text-bad" : "text-wait"}
            >
              {p.problem.message}
            </li>
          ))}
        </ul>
      )}
      {controlsOf(type?.parameters).map((control) => (
        <ParameterControl
          key={`${node.id} ${control.name}`}
          control={control}
          value={node.parameters?.[control.name]}
          readOnly={readOnly}
          onChange={(value) =>
            edit((d) => setParameter(d, node.id, control.name, value), `parameter ${node.id} ${control.name}`)
          }
        />
      ))}
      {type && (
        <Connections doc={doc} node={node} type={type} types={types} readOnly={readOnly} edit={edit} />
      )}
      {type && !type.static && <RetryForm node={node} readOnly={readOnly} edit={edit} />}
      {!readOnly && (
        <Button
          kind="danger"
          icon={<Trash2 size={14} aria-hidden />}
          onClick={() => edit((d) => remove(d, new Set([node.id]), new Set()))}
        >
          {say.remove}
        </Button>
      )}
    </section>
  );
}

function NodeName({ doc, node, readOnly, edit, onRenamed }: Omit<Props, "types" | "problems">) {
  const [text, setText] = useState(node.id);
  useEffect(() => {
    setText(node.id);
  }, [node.id]);
  const isTaken = text !== node.id && doc.nodes.some((n) => n.id === text);
  const error = isTaken ? say.taken : isId(text) ? "" : say.letters;
  const done = () => {
    if (text !== node.id && !error) {
      edit((d) => rename(d, node.id, text));
      onRenamed(text);
    }
  };
  return (
    <Field
      label={say.name}
      value={text}
      disabled={readOnly}
      error={error}
      onChange={setText}
      onBlur={done}
      onKeyDown={(e) => e.key === "Enter" && done()}
    />
  );
}

interface ConnectionsProps {
  doc: Doc;
  node: GraphNode;
  type: NodeType;
  types: Types;
  readOnly: boolean;
  edit: Edit;
}

/** What leads to and from each port, for those who do not drag. */
function Connections({ doc, node, type, types, readOnly, edit }: ConnectionsProps) {
  const own = doc.edges.filter((e) => e.sourceNodeId === node.id || e.targetNodeId === node.id);
  const wordsOf = (e: GraphEdge) =>
    e.sourceNodeId === node.id
      ? `${e.sourcePortId} → ${e.targetNodeId}.${e.targetPortId}`
      : `${e.sourceNodeId}.${e.sourcePortId} → ${e.targetPortId}`;
  return (
    <Fold summary={say.connectionCount(own.length)} open>
      <ul aria-label={say.connections} className="space-y-0.5 text-sm">
        {own.map((e) => (
          <li key={keyOf(e)} className="flex items-center gap-1">
            <span className="min-w-0 flex-1 truncate">{wordsOf(e)}</span>
            {!readOnly && (
              <IconButton
                label={say.disconnect(wordsOf(e))}
                className="size-7"
                onClick={() => edit((d) => remove(d, new Set(), new Set([keyOf(e)])))}
              >
                <X size={14} />
              </IconButton>
            )}
          </li>
        ))}
      </ul>
      {!readOnly && <ConnectForm doc={doc} node={node} type={type} types={types} edit={edit} />}
    </Fold>
  );
}

function ConnectForm({ doc, node, type, types, edit }: Omit<ConnectionsProps, "readOnly">) {
  const [port, setPort] = useState("");
  const id = useId();
  const [kind, portId] = port.split(" ", 2);
  const own = (kind === "out" ? type.outputs : type.inputs).find((p) => p.id === portId);
  const edgeTo = (nodeId: string, other: string): GraphEdge =>
    kind === "out"
      ? { sourceNodeId: node.id, sourcePortId: portId ?? "", targetNodeId: nodeId, targetPortId: other }
      : { sourceNodeId: nodeId, sourcePortId: other, targetNodeId: node.id, targetPortId: portId ?? "" };
  const ends = doc.nodes.flatMap((n) => {
    const other = types.get(n.nodeId);
    const ports = (kind === "out" ? other?.inputs : other?.outputs) ?? [];
    const fit = ports.filter(
      (p) => own && (kind === "out" ? fits(own.type, p.type) : fits(p.type, own.type)),
    );
    return fit.map((p) => edgeTo(n.id, p.id)).filter((e) => connectable(doc, types, e));
  });
  return (
    <div className="mt-2 grid grid-cols-2 gap-2">
      <div>
        <label htmlFor={`${id}-port`} className="sr-only">
          {say.portToConnect}
        </label>
        <select
          id={`${id}-port`}
          value={port}
          onChange={(e) => setPort(e.target.value)}
          className={inputLook}
        >
          <option value="">{say.connect}</option>
          {type.outputs.map((p) => (
            <option key={`out ${p.id}`} value={`out ${p.id}`}>
              {p.id} →
            </option>
          ))}
          {type.inputs.map((p) => (
            <option key={`in ${p.id}`} value={`in ${p.id}`}>
              → {p.id}
            </option>
          ))}
        </select>
      </div>
      <div>
        <label htmlFor={`${id}-end`} className="sr-only">
          {say.connectItWith}
        </label>
        <select
          id={`${id}-end`}
          value=""
          disabled={!own}
          onChange={(e) => {
            const chosen = ends.find((x) => keyOf(x) === e.target.value);
            if (chosen) {
              edit((d) => connect(d, types, chosen));
            }
          }}
          className={inputLook}
        >
          <option value="">{say.with}</option>
          {ends.map((e) => (
            <option key={keyOf(e)} value={keyOf(e)}>
              {kind === "out" ? `${e.targetNodeId}.${e.targetPortId}` : `${e.sourceNodeId}.${e.sourcePortId}`}
            </option>
          ))}
        </select>
      </div>
    </div>
  );
}

function RetryForm({ node, readOnly, edit }: { node: GraphNode; readOnly: boolean; edit: Edit }) {
  const set = (name: "attempts" | "pauseMs", text: string) => {
    const next = { attempts: 1, ...node.retry, [name]: Number(text) || undefined };
    const retry =
      (next.attempts ?? 1) > 1 || next.pauseMs ? { ...next, attempts: next.attempts ?? 1 } : undefined;
    edit((d) => change(d, node.id, { retry }), `retry ${node.id} ${name}`);
  };
  return (
    <Fold summary={say.ifItFails} open={Boolean(node.retry)}>
      <div className="grid grid-cols-2 gap-2">
        {(["attempts", "pauseMs"] as const).map((name) => (
          <Field
            key={name}
            label={name === "attempts" ? say.attempts : say.pause}
            type="number"
            min={0}
            disabled={readOnly}
            value={node.retry?.[name] ?? (name === "attempts" ? 1 : "")}
            onChange={(text) => set(name, text)}
          />
        ))}
      </div>
    </Fold>
  );
}
