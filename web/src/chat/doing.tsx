import type { Task } from "../api/types";
import { useDocuments, useDrafts } from "../data/hooks";
import type { Tree } from "../decisions/hooks";
import { headline } from "../thread/format";
import { ticker } from "../thread/ticker";
import { isEnded } from "../thread/tree";
import { couldNot } from "../ui/status";
import { words } from "../words";

const say = words.decisions;

/** What an agent does right now, in a few words; of one that failed, why. */
export function Doing({ task, tree }: { task: Task; tree: Tree }) {
  if (task.status === "failed") {
    const could = couldNot(task);
    return (
      <span
        role={could ? undefined : "alert"}
        className={`block truncate ${could ? "text-soft" : "text-bad"}`}
      >
        {could ? say.couldNot(headline(task.error ?? "")) : task.error}
      </span>
    );
  }
  return task.status === "running" && task.subAgentId && !task.paused ? (
    <Working task={task} agentId={task.subAgentId} tree={tree} />
  ) : null;
}

/** The end of what it is saying or thinking, the tool that it called, or whom it waits for. */
function Working({ task, agentId, tree }: { task: Task; agentId: string; tree: Tree }) {
  const draft = useDrafts(task.chatId, agentId).at(-1);
  const call = useDocuments("sub_agent_tool_calls", "subAgentId", agentId).findLast(
    (c) => c.status === "running" || c.status === "pending",
  );
  const said = draft?.text || draft?.reasoning;
  const tool = draft?.tools.at(-1)?.name ?? call?.toolName;
  const helpers = tree.helpers.filter((t) => !isEnded(t)).length;
  const idle = tree.asks.length ? "" : say.working;
  return (
    // The end is what is seen.
    <span className="block truncate text-left text-faint italic" dir={said ? "rtl" : undefined}>
      <bdi>{said ? ticker(said) : helpers ? say.waitsFor(helpers) : tool ? say.callsTool(tool) : idle}</bdi>
    </span>
  );
}
