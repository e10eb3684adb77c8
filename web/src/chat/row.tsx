import { memo } from "react";
import type { Unsent } from "../data/outbox";
import type { ThreadItem } from "../thread/thread";
import { Answer } from "./answer";
import { AnswerDraft, Asked } from "./asked";
import { Calls } from "./calls";
import { ForkLine } from "./fork";
import { Group } from "./group";
import { isAnswer, MessageRow } from "./message";
import { UnsentRow } from "./unsent";

interface Props {
  item: ThreadItem;
  agentId?: string;
  onEdit: (unsent: Unsent) => void;
}

/** One row of a chat, drawn again only when it changed. */
export const Row = memo(
  function Row({ item, agentId, onEdit }: Props) {
    switch (item.kind) {
      case "message": {
        const { message } = item;
        if (message.questionId && message.taskId) {
          return <Asked message={message} taskId={message.taskId} />;
        }
        return isAnswer(message) ? (
          <Answer
            text={message.content}
            taskId={item.below ? undefined : message.taskId}
            message={message}
            stopped={item.stopped}
          />
        ) : (
          <MessageRow message={message} />
        );
      }
      case "fork":
        return <ForkLine from={item.from} />;
      case "calls":
        return <Calls message={item.message} results={item.results} />;
      case "draft":
        return <AnswerDraft draft={item.draft} />;
      case "unsent":
        return <UnsentRow unsent={item.unsent} onEdit={onEdit} />;
      case "tasks":
        return <Group tasks={item.tasks} agentId={agentId} />;
    }
  },
  (a, b) => same(a.item, b.item) && a.agentId === b.agentId,
);

function same(a: ThreadItem, b: ThreadItem): boolean {
  if (a.kind === "message" && b.kind === "message") {
    return a.message === b.message && a.stopped === b.stopped && a.below === b.below;
  }
  if (a.kind === "fork" && b.kind === "fork") {
    return a.from === b.from;
  }
  if (a.kind === "calls" && b.kind === "calls") {
    return a.message === b.message && a.results.length === b.results.length;
  }
  if (a.kind === "draft" && b.kind === "draft") {
    return a.draft === b.draft;
  }
  if (a.kind === "tasks" && b.kind === "tasks") {
    return a.tasks.length === b.tasks.length && a.tasks.every((t, i) => t === b.tasks[i]);
  }
  return false;
}
