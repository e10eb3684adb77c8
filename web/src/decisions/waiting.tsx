import { useEffect, useMemo } from "react";
import { useLocation } from "wouter";
import { useDocuments } from "../data/hooks";
import { live } from "../data/store";
import { agentPath, chatPath } from "../place";
import { roleOf } from "../thread/format";
import { titleOf } from "../thread/tree";
import { words } from "../words";
import { type Ask, isForPeople } from "./asks";
import { useAsks } from "./hooks";
import { notify, useSeen } from "./notify";

const say = words.decisions;

/** Tells outside of the page that somebody waits: in the title of the tab and, if the person wants that, by a notification. */
export function Waiting() {
  const [, navigate] = useLocation();
  const tasks = useDocuments("tasks");
  const chats = useDocuments("chats");
  const open = useMemo(() => tasks.filter((t) => t.status === "waiting" || t.status === "running"), [tasks]);
  const asks = useAsks(open).filter(isForPeople);
  const ids = asks.map((a) => a.id).join(" ");
  const [first] = asks;
  const chat = chats.find((c) => c.id === first?.task.chatId)?.title || say.tab.unnamed;
  useEffect(() => {
    document.title = titleFor(first, asks.length, chat);
  }, [first, asks.length, chat]);
  useSeen(ids);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the ids say whether there is something new
  useEffect(() => {
    for (const ask of asks) {
      const { chatId, subAgentId } = ask.task;
      const go = () => navigate(subAgentId ? agentPath(chatId, subAgentId) : chatPath(chatId));
      void notify(ask.id, () => live.online === true, toldOf(ask), go);
    }
  }, [ids]);
  return null;
}

function titleFor(first: Ask | undefined, count: number, chat: string): string {
  if (!first) {
    return say.tab.plain;
  }
  if (count > 1) {
    return say.tab.several(count);
  }
  return first.kind === "question" ? say.tab.question(chat) : say.tab.decision(chat);
}

/** The words of a notification. */
function toldOf(ask: Ask): { title: string; body: string } {
  const who = roleOf(ask.task.name);
  return ask.kind === "question"
    ? { title: say.notify.asks(who), body: ask.task.question ?? "" }
    : { title: say.notify.decision(who), body: `${ask.call.toolName} · ${titleOf(ask.task)}` };
}
