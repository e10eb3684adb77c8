import {
  Bot,
  FileText,
  Keyboard,
  MessageSquare,
  Plus,
  Search,
  Square,
  SunMoon,
  Workflow,
} from "lucide-react";
import type { ReactNode } from "react";
import { searchDocuments } from "../api/documents";
import { listGraphs } from "../api/graphs";
import type { Chat, Task } from "../api/types";
import { loadTheme } from "../data/settings";
import { openRuns, stops } from "../data/store";
import { changeTheme, nextTheme } from "../data/theme";
import { agentPath, chatPath, documentPath, graphPath } from "../place";
import { pagesBelow } from "../sidebar/account";
import { roleOf } from "../thread/format";
import { titleOf } from "../thread/tree";
import { words } from "../words";
import { fits } from "./fuzzy";
import { shown } from "./keys";
import { openBar, openHelp } from "./open";

const say = words.find;

/** Something that the palette offers. */
export interface Entry {
  key: string;
  group: string;
  name: ReactNode;
  /** What is compared with what was typed. */
  text: string;
  icon: ReactNode;
  /** Where it leads, or what it does. */
  to?: string;
  act?: () => void;
  hint?: string;
}

interface Known {
  chats: readonly Chat[];
  tasks: readonly Task[];
  /** The chat that is open, and whether something goes on in it. */
  chatId?: string;
  running: boolean;
}

const icon = { size: 15, "aria-hidden": true, className: "shrink-0 text-faint" };

/** Stops what goes on in a chat, as its own button does. */
function stopAll(chatId: string): void {
  const running = openRuns.running().filter((r) => r.chatId === chatId);
  stops.add(...running.map((r) => r.id));
}

/** What there is to do. */
export function actions({ chatId, running }: Known): Entry[] {
  const entry = (key: string, text: string, icon: ReactNode, rest: Partial<Entry>): Entry => ({
    key,
    group: say.groups.actions,
    name: text,
    text,
    icon,
    ...rest,
  });
  return [
    entry("new", say.newChat, <Plus {...icon} />, { to: "/new", hint: shown("newChat") }),
    ...(chatId
      ? [entry("find", say.findInChat, <Search {...icon} />, { act: openBar, hint: shown("find") })]
      : []),
    ...(chatId && running
      ? [entry("stop", say.stop, <Square {...icon} />, { act: () => stopAll(chatId) })]
      : []),
    entry("theme", say.theme(say.themes[nextTheme(loadTheme())]), <SunMoon {...icon} />, {
      act: changeTheme,
    }),
    entry("keys", say.showKeys, <Keyboard {...icon} />, { act: openHelp, hint: shown("help") }),
  ];
}

/** Where one can go, of what the browser has. */
export function places({ chats, tasks }: Known): Entry[] {
  return [
    ...pagesBelow.map(({ href, name, icon: Icon }) => ({
      key: href,
      group: say.groups.pages,
      name,
      text: name,
      icon: <Icon {...icon} />,
      to: href,
    })),
    ...[...chats]
      .sort((a, b) => b.updatedAt - a.updatedAt)
      .map((c) => ({
        key: `chat/${c.id}`,
        group: say.groups.chats,
        name: c.title || words.sidebar.untitled,
        text: c.title || words.sidebar.untitled,
        icon: <MessageSquare {...icon} />,
        to: chatPath(c.id),
      })),
    ...tasks
      .filter((t) => t.subAgentId)
      .toReversed()
      .map((t) => ({
        key: `agent/${t.id}`,
        group: say.groups.agents,
        name: titleOf(t),
        text: `${titleOf(t)} ${roleOf(t.name)}`,
        icon: <Bot {...icon} />,
        hint: roleOf(t.name),
        to: agentPath(t.chatId, t.subAgentId ?? ""),
      })),
  ];
}

/** Graphs and documents, which the browser has to ask for. */
export async function madeThings(): Promise<Entry[]> {
  const none = () => [];
  const [graphs, documents] = await Promise.all([
    listGraphs().catch(none),
    searchDocuments("", 100).then((p) => p.items, none),
  ]);
  return [
    ...graphs.map((g) => ({
      key: `graph/${g.id}`,
      group: say.groups.graphs,
      name: g.name,
      text: g.name,
      icon: <Workflow {...icon} />,
      to: graphPath(g.id),
    })),
    ...documents.map((d) => ({
      key: `document/${d.id}`,
      group: say.groups.documents,
      name: d.title,
      text: d.title,
      icon: <FileText {...icon} />,
      to: documentPath(d.id),
    })),
  ];
}

const perGroup = 6;

/** The entries that fit what was typed, best first, a few of each group; at first what one did last. */
export function fitting(entries: readonly Entry[], typed: string): Entry[] {
  const counts = new Map<string, number>();
  return entries
    .map((entry) => ({ entry, fit: fits(entry.text, typed) }))
    .filter(({ fit }) => fit > 0)
    .sort((a, b) => b.fit - a.fit)
    .map(({ entry }) => entry)
    .filter(({ group }) => {
      const count = (counts.get(group) ?? 0) + 1;
      counts.set(group, count);
      return count <= perGroup;
    });
}
