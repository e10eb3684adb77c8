import { ApiError, endSession, onSignedOut } from "../api/http";
import { whoAmI } from "../api/me";
import { home } from "../base";
import { removeStrayCopies } from "./copies";
import { learn } from "./follow";
import { belongTo, forgetOwner, lastOwner, removeStrays } from "./owner";
import { countDrafts, countWritten } from "./settings";
import { outbox, start } from "./store";
import { followTheme } from "./theme";

/** Whom a page is for, as far as that is known; or why it cannot be told. */
export type Who = "asking" | "nobody" | "owner" | Error;

let begun: Promise<Who> | undefined;

/** Finds out whose page this is and begins to follow the server for them; once, unless it fails. */
export function begin(): Promise<Who> {
  begun ??= find().catch((e: unknown) => {
    begun = undefined;
    return e instanceof Error ? e : new Error(String(e));
  });
  return begun;
}

async function find(): Promise<Who> {
  removeStrays();
  removeStrayCopies().catch(() => {}); // at the next page, then
  const id = await signedIn();
  if (!id) {
    return "nobody";
  }
  if (!isAddressOf(id)) {
    history.replaceState(null, "", home);
  }
  belongTo(id);
  followTheme();
  onSignedOut(() => {
    history.replaceState({ owner: id }, "");
    location.reload(); // what is kept waits for its owner
  });
  start();
  const learned = learn().catch(() => {}); // without a server it is what it was here
  if (location.pathname === home) {
    await learned; // it says which page is shown
  }
  return "owner";
}

/** A page whose owner's session ended has the address of something of theirs. */
function isAddressOf(id: string): boolean {
  const state: unknown = history.state;
  return typeof state !== "object" || state === null || !("owner" in state) || state.owner === id;
}

/** The id of who is signed in; without the server, of who was here last. */
async function signedIn(): Promise<string> {
  try {
    return (await whoAmI()).id;
  } catch (e) {
    if (e instanceof ApiError && e.status === 401) {
      return "";
    }
    if (e instanceof ApiError && e.code === "offline") {
      return lastOwner();
    }
    throw e;
  }
}

/** How many texts are lost if the owner signs out now: messages on their way or being written, and documents that are not saved. */
export const countUnsent = () => outbox.list().length + countWritten() + countDrafts();

/** Signs the owner out, in all tabs, and leaves nothing of theirs in the browser. */
export async function signOut(): Promise<void> {
  const ended = endSession(); // before the other tabs notice, so that none goes on with the session
  forgetOwner();
  await ended;
  location.replace(home);
}
