import {
  Bot,
  CircleHelp,
  MessageSquare,
  Network,
  Sparkles,
  SquareFunction,
  Target,
  Workflow,
  Wrench,
} from "lucide-react";
import type { ComponentType } from "react";
import type { RowKind, RunRow } from "../api/runs";
import { unmarked } from "../thread/format";
import { words } from "../words";

const say = words.runs;

const icons: Record<RowKind, ComponentType<{ size?: number; className?: string }>> = {
  message: MessageSquare,
  orchestrator: Network,
  agent: Bot,
  model: Sparkles,
  tool: Wrench,
  question: CircleHelp,
  execution: Workflow,
  node: SquareFunction,
  session: Target,
};

export function KindIcon({ kind }: { kind: RowKind }) {
  const Icon = icons[kind];
  return <Icon size={14} className="shrink-0 text-faint" aria-hidden />;
}

/** What a row is called: who or what it is, and what it is about. */
export function titleOf(row: RunRow): { name: string; about: string } {
  switch (row.kind) {
    case "message":
      return { name: row.label || say.kinds.message, about: "" };
    case "model":
      return { name: say.turns[row.for ?? ""] ?? say.kinds.model, about: unmarked(row.label ?? "") };
    case "agent":
      return { name: capital(row.name || say.kinds.agent), about: row.label ?? "" };
    case "orchestrator":
      return { name: row.name?.startsWith("model:") ? say.kinds.model : say.kinds.orchestrator, about: "" };
    case "node":
      return { name: row.label || say.kinds.node, about: row.name ?? "" };
    case "question":
    case "session":
      return { name: say.kinds[row.kind], about: row.label ?? "" };
    default:
      return { name: row.name || say.kinds[row.kind], about: row.label ?? "" };
  }
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
