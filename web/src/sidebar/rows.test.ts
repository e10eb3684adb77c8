import { expect, test } from "vitest";
import type { Chat, ChatMark, Task } from "../api/types";
import { activity, isUnread } from "../data/activity";
import { type GroupNames, rowsOf, type SidebarRow } from "./rows";
import { branches } from "./tree";

const names: GroupNames = {
  pinned: "Pinned",
  today: "Today",
  yesterday: "Yesterday",
  week: "Week",
  month: (ms) => new Date(ms).toISOString().slice(0, 7),
};

let seq = 0;
const task = (id: string, rest: Partial<Task> = {}): Task =>
  ({
    id,
    chatId: "c",
    name: "agent:general",
    instruction: id,
    status: "success",
    createdAt: 1,
    updatedAt: 1,
    createdSeq: ++seq,
    subAgentId: `agent-${id}`,
    ...rest,
  }) as Task;
const chat = (id: string, at: number, rest: Partial<Chat> = {}): Chat =>
  ({ id, title: id, createdAt: at, updatedAt: at, createdSeq: ++seq, ...rest }) as Chat;
const mark = (id: string, rest: Partial<ChatMark>): ChatMark => ({ id, ...rest }) as ChatMark;

/** Rows as lines: headings, chats, and tasks by depth. */
const line = (r: SidebarRow): string =>
  r.kind === "group"
    ? `# ${r.name}`
    : r.kind === "chat"
      ? r.chat.id
      : `${"-".repeat(r.depth + 1)} ${r.task.id}`;
const lines = (rows: readonly SidebarRow[]) => rows.map(line);

test("children stand below their own parents, in the order of creation, whatever is updated", () => {
  const [a, b] = [task("a"), task("b")];
  const interleaved = [
    task("b1", { parentAgentId: "agent-b" }),
    task("a1", { parentAgentId: "agent-a" }),
    task("b2", { parentAgentId: "agent-b" }),
    task("a2", { parentAgentId: "agent-a", updatedAt: 99, seq: 999 }),
    task("a11", { parentAgentId: "agent-a1" }),
    task("orphan", { parentAgentId: "agent-gone" }),
  ];
  const tree = branches([...interleaved.toReversed(), b, a]);
  const told = (list: typeof tree): string =>
    list.map((x) => `${x.task.id}${x.children.length > 0 ? `(${told(x.children)})` : ""}`).join(" ");
  expect(told(tree)).toBe("a(a1(a11) a2) b(b1 b2) orphan");
});

test("documents that name each other as parents are all shown", () => {
  const tree = branches([
    task("x", { parentAgentId: "agent-y" }),
    task("y", { parentAgentId: "agent-x" }),
    task("z", { parentAgentId: "agent-z" }),
  ]);
  expect(tree.map((b) => b.task.id)).toEqual(["x", "z"]);
  expect(tree[0]?.children.map((b) => b.task.id)).toEqual(["y"]);
});

const now = new Date(2026, 4, 20, 9).getTime();
const daysAgo = (n: number) => new Date(2026, 4, 20 - n, 23).getTime();

test("chats stand in groups: pinned, folders and projects, days", () => {
  const shown = {
    chats: [
      chat("old", daysAgo(40)),
      chat("today", now),
      chat("yesterday", daysAgo(1)),
      chat("week", daysAgo(7)),
      chat("month", daysAgo(8)),
      chat("pinned", daysAgo(100)),
      chat("filed", daysAgo(3)),
      chat("project", daysAgo(3), { projectId: "p" }),
      chat("nameless", now - 1, { projectId: "unknown" }),
    ],
    tasks: [],
    marks: {
      of: new Map([
        ["pinned", mark("pinned", { pinned: true, folder: "Work" })],
        ["filed", mark("filed", { folder: "Work" })],
      ]),
      since: 0,
    },
    activity: new Map(),
    projects: new Map([["p", "Alpha"]]),
    folded: {},
    now,
  };
  expect(lines(rowsOf(shown, names))).toEqual([
    ...["# Pinned", "pinned", "# Alpha", "project", "# Work", "filed", "# Today", "today", "nameless"],
    ...["# Yesterday", "yesterday", "# Week", "week", "# 2026-05", "month", "# 2026-04", "old"],
  ]);
  const folded = rowsOf({ ...shown, folded: { "folder/Work": true, today: true } }, names);
  expect(lines(folded)).not.toContain("filed");
  expect(folded.find((r) => r.key === "today")).toMatchObject({ count: 2, folded: true });
});

test("agents are shown below the open chat and those at work, and hidden on demand", () => {
  const chats = [chat("open", now), chat("busy", now - 1), chat("idle", now - 2)];
  const tasks = [
    task("o", { chatId: "open" }),
    task("oo", { chatId: "open", parentAgentId: "agent-o" }),
    task("b", { chatId: "busy", status: "running" }),
    task("i", { chatId: "idle" }),
  ];
  const shown = {
    chats,
    tasks,
    marks: { of: new Map(), since: 0 },
    activity: activity(chats, tasks, []),
    projects: new Map(),
    folded: {},
    current: "open",
    now,
  };
  expect(lines(rowsOf(shown, names))).toEqual(["# Today", "open", "- o", "-- oo", "busy", "- b", "idle"]);
  const folded = { "task/o": true, "chat/busy": true, "chat/idle": false };
  expect(lines(rowsOf({ ...shown, folded }, names))).toEqual([
    "# Today",
    "open",
    "- o",
    "busy",
    "idle",
    "- i",
  ]);
});

test("a chat waits, is at work, or has something new", () => {
  const chats = [chat("c", 10), chat("d", 10)];
  const run = { id: "r", version: 1, chatId: "d", status: "running" as const, beganAt: 1 };
  const at = (tasks: Task[], runs = [run]) => activity(chats, tasks, runs);
  expect(at([]).get("d")).toEqual({ state: "running", latest: 10 });
  expect(at([task("t", { chatId: "d", status: "waiting", updatedAt: 30 })]).get("d")).toEqual({
    state: "waiting",
    latest: 30,
  });
  expect(at([], [{ ...run, status: "failed" as never, endedAt: 50 } as never]).get("d")).toEqual({
    latest: 50,
  });
  const marks = { of: new Map([["c", mark("c", { seenAt: 40 })]]), since: 20 };
  expect([isUnread("c", 40, marks), isUnread("c", 41, marks)]).toEqual([false, true]);
  expect([isUnread("d", 20, marks), isUnread("d", 21, marks)]).toEqual([false, true]);
  expect(isUnread("d", 99, { of: new Map(), since: Number.POSITIVE_INFINITY })).toBe(false);
});
