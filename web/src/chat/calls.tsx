import { Wrench } from "lucide-react";
import { Link } from "wouter";
import type { Message, ToolRequest } from "../api/types";
import { agentPath } from "../place";
import { pretty } from "../thread/format";
import { CodeBlock } from "../ui/code";
import { Fold } from "../ui/fold";
import { Markdown } from "../ui/markdown";
import { words } from "../words";
import { Source } from "./answer";
import { useChatId } from "./conversation";
import { Files } from "./said";

const say = words.decisions;

/** The tools that the participant of a chat calls there, and what came of it. */
export function Calls({ message, results }: { message: Message; results: readonly Message[] }) {
  return (
    <article aria-label={say.callsLabel}>
      {message.taskId && <Source taskId={message.taskId} />}
      {message.content && <Markdown text={message.content} />}
      <div className="mt-1.5 space-y-1 rounded-lg border border-line bg-page px-3 py-2">
        {message.toolCalls?.map((call) => (
          <Call
            key={call.id}
            call={call}
            result={results.find((r) => r.toolCallId === call.id)}
            link={message.subAgentId && agentPath(message.chatId, message.subAgentId)}
          />
        ))}
      </div>
    </article>
  );
}

interface Props {
  call: ToolRequest;
  /** What came of it, as far as the chat is told; missing while it is under way. */
  result?: Message;
  /** Where the whole is. */
  link?: string;
}

function Call({ call, result: told, link }: Props) {
  const input = call.function.arguments;
  const result = told?.content;
  const chatId = useChatId();
  return (
    <>
      <Fold
        summary={
          <span className="flex min-w-0 flex-1 items-center gap-2">
            <Wrench size={14} className="shrink-0" aria-hidden />
            <span className="font-mono text-[13px] font-medium text-ink">{call.function.name}</span>
            <span className="min-w-0 flex-1 truncate font-mono text-xs text-faint">
              {result === undefined ? say.underWay : result.replace(/\s+/g, " ").slice(0, 160)}
            </span>
          </span>
        }
      >
        <div className="space-y-2">
          {input && <CodeBlock text={pretty(input)} language="json" />}
          {result && <CodeBlock text={pretty(result)} />}
          {link && (
            <Link href={link} className="text-sm text-accent hover:underline">
              {say.lookInsideAgent}
            </Link>
          )}
        </div>
      </Fold>
      <Files parts={told?.parts} chatId={chatId} />
    </>
  );
}
