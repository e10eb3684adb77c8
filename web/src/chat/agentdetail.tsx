import type { Task } from "../api/types";
import { useDocuments } from "../data/hooks";
import type { Tree } from "../decisions/hooks";
import { assignment } from "../thread/format";
import { standsWithTask, tellsEnd } from "../thread/results";
import { isEnded, titleOf } from "../thread/tree";
import { CopyButton } from "../ui/copy";
import { Fold } from "../ui/fold";
import { Markdown } from "../ui/markdown";
import { couldNot } from "../ui/status";
import { words } from "../words";
import { Helpers } from "./helpers";
import { Verbatim } from "./verbatim";

const say = words.decisions;

interface Props {
  task: Task;
  tree: Tree;
  group: readonly Task[];
}

/** What an agent was told, who helps it, and what it brought, unless that is read in the chat. */
export default function AgentDetail({ task, tree, group }: Props) {
  const ends = useDocuments("messages", "taskId", task.id).filter(tellsEnd);
  const read = ends.some((m, i) => m.content === task.result && !standsWithTask(m, task, group, i === 0));
  const told = assignment(task).trim();
  return (
    <div className="space-y-2 px-2.5 pt-1 pb-2.5 sm:pl-8">
      {told !== titleOf(task) && (
        <Fold summary={say.instruction} open={!isEnded(task)}>
          <div className="text-sm text-soft">
            <Verbatim id={`instruction ${task.id}`} text={told} />
          </div>
        </Fold>
      )}
      <Helpers task={task} {...tree} />
      {task.status === "failed" && task.error && (
        <p className={`text-sm break-words whitespace-pre-wrap ${couldNot(task) ? "text-soft" : "text-bad"}`}>
          {task.error}
        </p>
      )}
      {task.result && !read && (
        <div>
          <Markdown text={task.result} />
          <CopyButton text={task.result} label={words.chat.copyAnswer} />
        </div>
      )}
    </div>
  );
}
