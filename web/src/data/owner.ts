import { home, named } from "../base";

/**
 * Whose this page is, and what the browser keeps for them.
 *
 * Whatever outlasts a page is kept under the id of the person it belongs to, and
 * a page belongs to one person for as long as it is open: nobody else is shown
 * it, and nothing of it is sent in the name of somebody else. It goes when they
 * sign out. If their session merely ends, it waits for them.
 */
const lastKey = named("nestor.user");
/** What is about nobody in particular: who was here last, that they left, and how documents are built. */
const common = [lastKey, named("nestor.left"), named("nestor.schemas")];
const people = named("nestor/");
const folderOf = (id: string) => `${people}${id}/`; // no id has a slash

let owner = "";
/** What the browser has no room for lasts as long as the page. */
const unkept = new Map<string, string>();

/** Nobody, until it is known who is signed in. */
export const ownerId = () => owner;

/** Who was here last and did not sign out. */
export const lastOwner = () => localStorage.getItem(lastKey) ?? "";

/** Makes this page that person's. When a tab of the browser gets another owner, or none, this one begins anew. */
export function belongTo(id: string): void {
  owner = id;
  localStorage.setItem(lastKey, id);
  window.addEventListener("storage", (e) => {
    if (e.key === lastKey && e.newValue !== id) {
      leave(e.newValue === null);
    }
  });
  window.addEventListener("pageshow", (e) => {
    if (e.persisted && lastOwner() !== id) {
      leave(false); // an old page that the browser brings back
    }
  });
}

function leave(signedOut: boolean): void {
  if (signedOut) {
    removeAll(owner); // this tab may have written after the other one has removed it
  }
  owner = "";
  location.replace(home);
}

/** Removes what the browser keeps of the owner, because they sign out. The other tabs notice. */
export function forgetOwner(): void {
  removeAll(owner);
  owner = "";
  localStorage.removeItem(lastKey);
}

function removeAll(id: string): void {
  unkept.clear();
  for (const key of keysBelow(folderOf(id))) {
    localStorage.removeItem(key);
  }
}

/** Removes what has no owner: nobody is shown it, and nothing of it is sent. */
export function removeStrays(): void {
  for (const key of keysBelow(named("nestor.")).filter((k) => !common.includes(k))) {
    localStorage.removeItem(key);
  }
}

function keysBelow(folder: string): string[] {
  return Object.keys(localStorage).filter((key) => key.startsWith(folder));
}

/** What is kept of the owner. Of nobody, nothing is. */
export const own = {
  get(name: string, id = owner): string | null {
    const key = folderOf(id) + name;
    return unkept.get(key) ?? localStorage.getItem(key);
  },

  set(name: string, value: string): void {
    const key = folderOf(owner) + name;
    unkept.delete(key);
    try {
      if (owner) {
        localStorage.setItem(key, value);
      }
    } catch {
      localStorage.removeItem(key); // what it was before is not what it is
      unkept.set(key, value);
    }
  },

  remove(name: string): void {
    unkept.delete(folderOf(owner) + name);
    localStorage.removeItem(folderOf(owner) + name);
  },

  /** The names that begin with a text. */
  names: (start: string): string[] =>
    [...keysBelow(folderOf(owner) + start), ...unkept.keys()]
      .filter((key) => key.startsWith(folderOf(owner) + start))
      .map((key) => key.slice(folderOf(owner).length)),

  /** Calls fn when another tab has changed what is kept under a name. */
  onChange(name: string, fn: () => void): void {
    const key = folderOf(owner) + name;
    window.addEventListener("storage", (e) => {
      if (e.key === key && owner) {
        fn();
      }
    });
  },
};

/** What everybody whose data is here keeps under a name. */
export function everybodys(name: string): string[] {
  return keysBelow(people)
    .filter((key) => key.slice(people.length).split("/")[1] === name)
    .map((key) => localStorage.getItem(key) ?? "");
}

/** Joins the tabs of the owner in this browser. */
export const channel = (name: string) => new BroadcastChannel(named(`nestor-${name}/${owner}`));
