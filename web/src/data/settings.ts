import { keep, kept } from "./follow";
import { lastOwner, own, ownerId } from "./owner";
import { slotted } from "./slots";

export type Theme = "system" | "light" | "dark";

/** Before it is known who is signed in, that of the person who was here last. */
export function loadTheme(): Theme {
  const theme = kept("theme", ownerId() || lastOwner());
  return theme === "light" || theme === "dark" ? theme : "system";
}

export const saveTheme = (theme: Theme) => keep("theme", theme);

export function showTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
}

export const loadPage = () => kept("lastPage") ?? "/";

export const savePage = (path: string) => keep("lastPage", path);

/** How the side bar looks in this browser: its width in pixels, whether it is there, and what of it is folded. */
export interface SidebarLook {
  width: number;
  collapsed: boolean;
  /** The groups that are folded, and the chats and tasks whose agents are: true is folded, false is not. */
  folded: Readonly<Record<string, boolean>>;
}

export const sidebarWidths = { least: 220, most: 480, usual: 288 };

export function loadSidebar(): SidebarLook {
  const usual = { width: sidebarWidths.usual, collapsed: false, folded: {} };
  try {
    return { ...usual, ...(JSON.parse(own.get("sidebar") ?? "{}") as Partial<SidebarLook>) };
  } catch {
    return usual;
  }
}

export const saveSidebar = (look: SidebarLook) => own.set("sidebar", JSON.stringify(look));

/** What is being written and is not sent yet, by chat. */
const written = (chatId: string) => `written/${chatId}`;

export const loadWritten = (chatId: string) => own.get(written(chatId)) ?? "";

export function saveWritten(chatId: string, text: string): void {
  if (text) {
    own.set(written(chatId), text);
  } else {
    own.remove(written(chatId));
  }
}

/** Drafts of documents are kept under the first id of their document, which is the same in all versions. */
export const draftName = (firstId: string) => `document/${firstId}`;

/** The documents that have a draft, by their first ids. */
export const drafted = () => slotted(draftName(""));

export const countDrafts = () => drafted().length;

/** The work on a graph that is not saved yet. */
export const drawn = (graphId: string) => `drawn/${graphId}`;

/** On how many graphs there is such work. */
export const countDrawn = () => slotted(drawn("")).length;

/** In how many chats something is being written. */
export const countWritten = () => own.names(written("")).length;

/** What is being answered to a question of an agent, by the task and the question. */
const answering = (taskId: string) => `answer/${taskId}/`;
export const answerName = (taskId: string, questionId: string) => answering(taskId) + questionId;

/** The questions of a task to which something is written that is not sent. */
export const answersWritten = (taskId: string): string[] =>
  own.names(written(answering(taskId))).map((name) => name.slice(written(answering(taskId)).length));

/** The tasks to whose questions something is written that is not sent. */
export const tasksWritten = (): Set<string> =>
  new Set(own.names(written("answer/")).map((name) => name.split("/")[2] ?? ""));

/** Whether the person wants to be told, while they look elsewhere, that an agent waits. */
export const loadNotify = () => own.get("notify") === "on";

export const saveNotify = (on: boolean) => (on ? own.set("notify", "on") : own.remove("notify"));

/** What they were told of, so that of several tabs one tells. */
const told = "told";
const mostTold = 200;

/** Notes that the person is told of something; false if they were before. */
export function noteTold(id: string): boolean {
  const ids = (own.get(told) ?? "").split(" ");
  if (ids.includes(id)) {
    return false;
  }
  own.set(told, [...ids, id].slice(-mostTold).join(" "));
  return true;
}
