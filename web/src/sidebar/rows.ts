import type { Chat, Task } from "../api/types";
import type { Activity, Marks } from "../data/activity";
import { type Branch, branches } from "./tree";

/** A row of the side bar. Only those in sight are drawn. */
export type SidebarRow =
  | {
      kind: "group";
      key: string;
      name: string;
      icon: "pin" | "folder" | "date";
      count: number;
      folded: boolean;
    }
  | { kind: "chat"; key: string; chat: Chat; folded?: boolean }
  | { kind: "task"; key: string; task: Task; depth: number; folded?: boolean };

interface Shown {
  chats: readonly Chat[];
  tasks: readonly Task[];
  marks: Marks;
  activity: ReadonlyMap<string, Activity>;
  /** The names of projects by id. */
  projects: ReadonlyMap<string, string>;
  folded: Readonly<Record<string, boolean>>;
  /** The chat that is open. */
  current?: string;
  now: number;
}

/** The names of groups that are not of a person's own. */
export interface GroupNames {
  pinned: string;
  today: string;
  yesterday: string;
  week: string;
  month: (ms: number) => string;
}

/** Pinned chats, then folders and projects by name, then the rest by the day of what happened last. */
export function rowsOf(shown: Shown, names: GroupNames): SidebarRow[] {
  const tasks = new Map<string, Task[]>();
  for (const t of shown.tasks) {
    const known = tasks.get(t.chatId);
    if (known) {
      known.push(t);
    } else {
      tasks.set(t.chatId, [t]);
    }
  }
  const latest = (c: Chat) => shown.activity.get(c.id)?.latest ?? c.updatedAt;
  const chats = [...shown.chats].sort((a, b) => latest(b) - latest(a) || b.createdSeq - a.createdSeq);
  const groups = new Map<string, { name: string; icon: "pin" | "folder" | "date"; chats: Chat[] }>();
  for (const chat of chats) {
    const group = groupOf(chat, latest(chat), shown, names);
    const known = groups.get(group.key) ?? { ...group, chats: [] };
    known.chats.push(chat);
    groups.set(group.key, known);
  }
  const order = { pin: 0, folder: 1, date: 2 };
  const sorted = [...groups].sort(
    ([, a], [, b]) =>
      order[a.icon] - order[b.icon] || (a.icon === "folder" ? a.name.localeCompare(b.name) : 0),
  );
  return sorted.flatMap(([key, { name, icon, chats }]) => {
    const folded = shown.folded[key] ?? false;
    const heading: SidebarRow = { kind: "group", key, name, icon, count: chats.length, folded };
    return folded ? [heading] : [heading, ...chats.flatMap((c) => chatRows(c, tasks.get(c.id) ?? [], shown))];
  });
}

function groupOf(chat: Chat, latest: number, { marks, projects, now }: Shown, names: GroupNames) {
  const mark = marks.of.get(chat.id);
  if (mark?.pinned) {
    return { key: "pinned", name: names.pinned, icon: "pin" as const };
  }
  if (mark?.folder) {
    return { key: `folder/${mark.folder}`, name: mark.folder, icon: "folder" as const };
  }
  const project = projects.get(chat.projectId ?? "");
  if (project) {
    return { key: `project/${chat.projectId}`, name: project, icon: "folder" as const };
  }
  return { ...dateOf(latest, now, names), icon: "date" as const };
}

const dayMs = 24 * 60 * 60 * 1000;

/** The stretch of days in which something happened, as people count them: from midnight. */
export function dateOf(at: number, now: number, names: GroupNames): { key: string; name: string } {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const day = new Date(at).setHours(0, 0, 0, 0);
  const ago = Math.round((midnight - day) / dayMs); // days are an hour longer or shorter at times
  if (ago <= 0) {
    return { key: "today", name: names.today };
  }
  if (ago === 1) {
    return { key: "yesterday", name: names.yesterday };
  }
  if (ago <= 7) {
    return { key: "week", name: names.week };
  }
  const name = names.month(at);
  return { key: `month/${name}`, name };
}

/** A chat, and its agents: those of the one that is open or at work, unless a person said otherwise. */
function chatRows(chat: Chat, tasks: readonly Task[], { folded, current, activity }: Shown): SidebarRow[] {
  const key = `chat/${chat.id}`;
  if (tasks.length === 0) {
    return [{ kind: "chat", key, chat }];
  }
  const isFolded = folded[key] ?? (chat.id !== current && !activity.get(chat.id)?.state);
  const row: SidebarRow = { kind: "chat", key, chat, folded: isFolded };
  return isFolded ? [row] : [row, ...branches(tasks).flatMap((b) => branchRows(b, folded))];
}

function branchRows({ task, depth, children }: Branch, folded: Shown["folded"]): SidebarRow[] {
  const key = `task/${task.id}`;
  if (children.length === 0) {
    return [{ kind: "task", key, task, depth }];
  }
  const isFolded = folded[key] ?? false;
  const row: SidebarRow = { kind: "task", key, task, depth, folded: isFolded };
  return isFolded ? [row] : [row, ...children.flatMap((c) => branchRows(c, folded))];
}
