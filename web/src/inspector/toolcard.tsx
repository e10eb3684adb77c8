import { CornerDownRight, FileText, Wrench } from "lucide-react";
import { Link } from "wouter";
import type { Media, Part, ToolCall, ToolRequest } from "../api/types";
import { Files } from "../chat/said";
import { useDocument } from "../data/hooks";
import { agentPath, documentPath } from "../place";
import { duration, pretty, roleOf } from "../thread/format";
import { isOpen } from "../thread/timeline";
import { titleOf } from "../thread/tree";
import { writtenBy } from "../thread/written";
import { argsOf, type ToolView } from "../tools/view";
import { viewOf } from "../tools/views";
import { Fold } from "../ui/fold";
import { useNow } from "../ui/now";
import { StatusPill } from "../ui/status";
import { Failure } from "../values/failure";
import { Value } from "../values/value";
import { words } from "../words";
import { Decide } from "./decide";
import { Images } from "./images";

const say = words.render.tools;

interface Props {
  request: ToolRequest;
  call?: ToolCall;
  media: readonly Media[];
  files: readonly Part[];
  chatId: string;
  agentId: string;
}

/** A tool call: what went in, what came out, how long it took, and what a person has to say about it. */
export function ToolCard({ request, call, media, files, chatId, agentId }: Props) {
  const running = call ? isOpen(call) : false;
  const now = useNow(running);
  const took = call?.startedAt && (running ? now - call.startedAt : (call.durationMs ?? 0));
  const asked = call?.args ?? request.function.arguments;
  const name = call?.toolName ?? request.function.name;
  const view = viewOf(name);
  const retries = call?.decisions?.filter((d) => d.action === "retry").length ?? 0;
  return (
    <div data-call={request.id} data-status={call?.status} className="rounded-lg border border-line bg-page">
      <div className="flex flex-wrap items-center gap-2 px-3 pt-2">
        <Wrench size={14} className="text-soft" aria-hidden />
        <span className="font-mono text-[13px] font-medium">{name}</span>
        {call && <StatusPill status={call.status} />}
        {call?.held && call.status === "pending" && <span className="text-xs text-faint">{say.held}</span>}
        {took !== undefined && <span className="text-xs text-faint tabular-nums">{duration(took)}</span>}
        {retries > 0 && <span className="text-xs text-faint">{say.retried(retries)}</span>}
      </div>
      <div className="space-y-1 px-3 py-2">
        <Input view={view} asked={asked} />
        {call?.sent && (
          <p className="text-xs break-words text-faint">
            {say.sent(`${call.sent.name} ${call.sent.arguments}`)}
          </p>
        )}
        {call?.error && (
          <Fold summary={<Preview name={say.error} text={call.error} bad />}>
            <Failure name={say.error} text={call.error} />
          </Fold>
        )}
        {call?.result && !call.error && (
          <Fold summary={<Preview name={say.output} text={call.result} />}>
            <Value name={say.output} text={call.result} special={view.output?.(call.result, argsOf(asked))} />
          </Fold>
        )}
        <Images media={media} />
        <Files parts={files} chatId={chatId} />
        {call && <WrittenDocument call={call} />}
        {call?.taskId && <Nested taskId={call.taskId} />}
        {call?.decisions?.map((d) => (
          <p key={d.at} className="text-xs text-faint">
            {d.by === "local" ? say.you : d.by} {say.decided[d.action] ?? d.action}
            {d.args !== undefined && say.otherArguments}
            {d.reason && `: ${d.reason}`}
          </p>
        ))}
        {call && (call.status === "awaiting_approval" || call.status === "unknown") && (
          <Decide call={call} chatId={chatId} agentId={agentId} />
        )}
      </div>
    </div>
  );
}

/** The arguments of a call. */
function Input({ view, asked }: { view: ToolView; asked: unknown }) {
  const args = argsOf(asked);
  const text = pretty(asked);
  return (
    <Fold summary={<Preview name={say.input} text={view.brief?.(args) ?? text} />}>
      <Value name={say.input} text={text} special={view.input?.(args)} />
    </Fold>
  );
}

function Preview({ name, text, bad }: { name: string; text: string; bad?: boolean }) {
  return (
    <span className="flex min-w-0 flex-1 gap-2">
      <span className={bad ? "text-bad" : ""}>{name}</span>
      <span className="min-w-0 flex-1 truncate font-mono text-xs leading-5 text-faint group-open/fold:invisible">
        {text.replace(/\s+/g, " ").slice(0, 160)}
      </span>
    </span>
  );
}

/** The document that a call of write_document wrote. */
function WrittenDocument({ call }: { call: ToolCall }) {
  const written = writtenBy(call);
  if (!written) {
    return null;
  }
  return (
    <Link
      href={documentPath(written.document)}
      className="flex min-w-0 items-center gap-1.5 text-sm text-accent hover:underline"
    >
      <FileText size={14} className="shrink-0" aria-hidden />
      <span className="truncate">{say.document(written.title, written.version)}</span>
    </Link>
  );
}

/** The agent that a call created. */
function Nested({ taskId }: { taskId: string }) {
  const task = useDocument("tasks", taskId);
  if (!task?.subAgentId) {
    return null;
  }
  return (
    <Link
      href={agentPath(task.chatId, task.subAgentId)}
      className="flex min-w-0 items-center gap-1.5 text-sm text-accent hover:underline"
    >
      <CornerDownRight size={14} className="shrink-0" aria-hidden />
      <span className="truncate">{say.lookInside(roleOf(task.name), titleOf(task))}</span>
    </Link>
  );
}
