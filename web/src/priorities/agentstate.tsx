import { Link } from "wouter";
import type { FoundTask } from "../api/priorities";
import { useDocument } from "../data/hooks";
import { chatPath } from "../place";
import { Fold } from "../ui/fold";
import { Markdown } from "../ui/markdown";
import { isStatus, StatusPill, statusOf } from "../ui/status";
import { words } from "../words/priorities";

const say = words.agentstate;

/** What an agent makes of a task. */
export function AgentState({ task: { status = "", chat_id, agent_task_id, result } }: { task: FoundTask }) {
  const agents = useDocument("tasks", agent_task_id);
  const shown = agents && agents.status === status ? statusOf(agents) : status;
  return (
    <div className="mt-2 text-xs" data-agent={shown}>
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-faint">{say.agent}</span>
        {isStatus(shown) && <StatusPill status={shown} />}
        {chat_id && (
          <Link href={chatPath(chat_id)} className="text-accent underline underline-offset-2">
            {say.openItsChat}
          </Link>
        )}
      </div>
      {result && (
        <Fold summary={<span className="text-xs">{say.result}</span>} className="mt-1">
          <div className="max-h-64 overflow-y-auto">
            <Markdown text={result} />
          </div>
        </Fold>
      )}
    </div>
  );
}
