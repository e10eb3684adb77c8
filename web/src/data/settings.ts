import { lastOwner, own, ownerId } from "./owner";
import { slotted } from "./slots";

/** What lasts of how a person uses the UI: theme and last page. */
export type Theme = "system" | "light" | "dark";

/** Before it is known who is signed in, that of the person who was here last. */
export function loadTheme(): Theme {
  const theme = own.get("theme", ownerId() || lastOwner());
  return theme === "light" || theme === "dark" ? theme : "system";
}

export function saveTheme(theme: Theme): void {
  own.set("theme", theme);
  showTheme(theme);
}

export function showTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
}

export const loadPage = () => own.get("page") ?? "/";

export const savePage = (path: string) => own.set("page", path);

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
