import { CircleAlert, Info } from "lucide-react";
import type { Message } from "../api/types";
import { clock, exactTime } from "../thread/format";
import { Fold } from "../ui/fold";
import { Markdown } from "../ui/markdown";
import { Source } from "./answer";
import { ForkButton, useChatId } from "./fork";
import { Said } from "./said";

/** Whether it is what the orchestrator says, rather than what MessageRow shows. */
export const isAnswer = ({ role, type = "text" }: Message) =>
  role !== "user" && !["error", "status", "summary"].includes(type);

/** What a person said, or what the server has to tell. */
export function MessageRow({ message }: { message: Message }) {
  const chatId = useChatId();
  switch (message.role === "user" ? "user" : message.type) {
    case "user":
      return (
        <article aria-label="You" className="group/said flex flex-col items-end">
          <div className="max-w-[85%] rounded-2xl rounded-br-md bg-accent-wash px-4 py-2">
            <Said content={message.content} parts={message.parts} chatId={chatId} />
          </div>
          <div className="mt-1 mr-1 flex h-4 items-center gap-1 text-xs text-faint">
            <span className="opacity-0 transition-opacity group-hover/said:opacity-100 focus-within:opacity-100">
              <ForkButton at={message.id} />
            </span>
            <time title={exactTime(message.createdAt)}>{clock(message.createdAt)}</time>
          </div>
        </article>
      );
    case "error":
      return (
        <article role="alert" className="flex gap-2.5 rounded-xl border border-bad/30 bg-bad-wash px-4 py-3">
          <CircleAlert size={18} className="mt-0.5 shrink-0 text-bad" aria-hidden />
          <Markdown text={message.content} />
        </article>
      );
    case "summary":
      return (
        <Fold summary="Earlier parts of this conversation were summarised">
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
