import { CircleAlert, Info } from "lucide-react";
import type { Message } from "../api/types";
import { RunChip } from "../runs/chip";
import { clock, exactTime } from "../thread/format";
import { Fold } from "../ui/fold";
import { Markdown } from "../ui/markdown";
import { words } from "../words";
import { Actions, CommonActions, EditButton, TryAgainButton } from "./actions";
import { Source } from "./answer";
import { useChatId } from "./conversation";
import { Edit, useEditing } from "./edit";
import { Said } from "./said";
import { Versions } from "./versions";

const say = words.chat;

/** Whether it is what the orchestrator says, rather than what MessageRow shows. */
export const isAnswer = ({ role, type = "text" }: Message) =>
  role !== "user" && !["error", "status", "summary"].includes(type);

/** What a person said, or what the server has to tell. */
export function MessageRow({ message }: { message: Message }) {
  switch (message.role === "user" ? "user" : message.type) {
    case "user":
      return <Own message={message} />;
    case "error":
      return (
        <article className="flex items-start gap-2.5 rounded-xl border border-bad/30 bg-bad-wash px-4 py-2.5">
          <CircleAlert size={18} className="mt-1 shrink-0 text-bad" aria-hidden />
          <div role="alert" className="min-w-0 flex-1">
            <Markdown text={message.content} />
          </div>
          <TryAgainButton message={message} />
        </article>
      );
    case "summary":
      return (
        <Fold summary={say.summarised}>
          <div className="rounded-lg bg-panel p-3 text-sm">
            <Markdown text={message.content} />
          </div>
        </Fold>
      );
    default:
      return (
        <article className="text-sm text-soft">
          {message.taskId && <Source taskId={message.taskId} />}
          <div className="flex gap-2">
            <Info size={15} className="mt-1 shrink-0" aria-hidden />
            <Markdown text={message.content} />
          </div>
        </article>
      );
  }
}

/** What a person said. */
function Own({ message }: { message: Message }) {
  const chatId = useChatId();
  const { editing, begin, end } = useEditing(message);
  return (
    <article aria-label={say.you} className="group/row flex flex-col items-end">
      {editing ? (
        <Edit message={message} onEnd={end} />
      ) : (
        <div className="max-w-[85%] rounded-2xl rounded-br-md bg-accent-wash px-4 py-2">
          <Said id={message.id} content={message.content} parts={message.parts} chatId={chatId} />
        </div>
      )}
      <div className="mt-0.5 -mb-2 flex max-w-full flex-wrap items-center justify-end gap-1 text-xs text-faint">
        {!editing && (
          <Actions>
            <EditButton onEdit={begin} />
            <CommonActions message={message} copy={say.copyMessage} />
          </Actions>
        )}
        <Versions message={message} />
        <RunChip chatId={message.chatId} runId={message.runId} />
        <time title={exactTime(message.createdAt)}>{clock(message.createdAt)}</time>
      </div>
    </article>
  );
}
