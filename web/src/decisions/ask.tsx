import { ShieldQuestion, Unplug } from "lucide-react";
import { Link } from "wouter";
import type { Task } from "../api/types";
import { Decide } from "../inspector/decide";
import { agentPath } from "../place";
import { roleOf } from "../thread/format";
import { titleOf } from "../thread/tree";
import { RoleIcon } from "../ui/role";
import { words } from "../words";
import { Answers } from "./answers";
import { Arguments } from "./arguments";
import type { Ask } from "./asks";
import { QuestionForm } from "./question";

const say = words.decisions;

interface Props {
  ask: Ask;
  /** Names the agent, where that is not said around it. */
  named: boolean;
  /** It is dealt with elsewhere on the page. */
  elsewhere?: boolean;
}

/** What an agent wants, and the way to give it to this agent and no other. */
export default function AskView({ ask, named, elsewhere }: Props) {
  const { task } = ask;
  return (
    <section
      data-ask={ask.id}
      aria-label={say.agent(roleOf(task.name), titleOf(task))}
      className="space-y-2 border-t border-wait/30 px-4 py-2.5"
    >
      {named && <Asking task={task} />}
      {ask.kind === "question" ? (
        <>
          <p className="text-sm break-words whitespace-pre-wrap">
            <span className="font-medium text-wait">{say.question} </span>
            {task.question}
          </p>
          {!elsewhere && (
            <>
              <QuestionForm task={task} />
              <Answers task={task} />
            </>
          )}
        </>
      ) : ask.kind === "call" ? (
        <>
          <p className="flex items-center gap-1.5 text-sm">
            <ShieldQuestion size={15} className="shrink-0 text-wait" aria-hidden />
            <span className="font-medium text-wait">{say.needsDecision}</span>{" "}
            <span className="font-mono text-[13px] font-medium">{ask.call.toolName}</span>
          </p>
          {!elsewhere && (
            <>
              <Arguments args={ask.call.args} />
              <Decide call={ask.call} chatId={task.chatId} agentId={ask.call.subAgentId} plain />
            </>
          )}
        </>
      ) : (
        <p className="flex items-center gap-1.5 text-sm text-soft">
          <Unplug size={15} className="shrink-0" aria-hidden />
          {say.withClient} <span className="font-mono text-[13px] font-medium">{ask.call.toolName}</span>
        </p>
      )}
    </section>
  );
}

function Asking({ task }: { task: Task }) {
  const name = say.agent(roleOf(task.name), titleOf(task));
  return (
    <Link
      href={task.subAgentId ? agentPath(task.chatId, task.subAgentId) : ""}
      className="inline-flex max-w-full items-center gap-1.5 text-sm font-medium hover:underline"
    >
      <RoleIcon role={roleOf(task.name)} size={14} />
      <span className="truncate">{name}</span>
    </Link>
  );
}
