import {
  changeSettings,
  readSettings,
  type Settings,
  type SettingsChange,
  settingsId,
} from "../api/settings";
import { isPagePath } from "../place";
import { own } from "./owner";

/**
 * Theme and last page follow a person to their other browsers. The browser keeps both, for a page that begins
 * or has no server, and the server keeps them in the person's settings. What the browser has changed and the
 * server has not taken yet is kept apart, and sent as soon as there is a server.
 */
const keptAs = { theme: "theme", lastPage: "page" } as const;
const fields = ["theme", "lastPage"] as const;
type Field = (typeof fields)[number];

const unsent = (field: Field) => `unsent/${field}`;

/** The version that was taken last, 0 if there are no settings, nothing before that is known. */
let version: number | undefined;
let sending = false;
const listeners = new Set<() => void>();

/** Calls fn whenever something was changed here or elsewhere. */
export function subscribeFollowing(fn: () => void): () => void {
  listeners.add(fn);
  return () => listeners.delete(fn);
}

const notify = () => listeners.forEach((fn) => void fn());

export const kept = (field: Field, owner?: string) => own.get(keptAs[field], owner);

/** Keeps a value, here and in the person's settings. */
export function keep(field: Field, value: string): void {
  if (kept(field) === value) {
    return;
  }
  own.set(keptAs[field], value);
  own.set(unsent(field), "yes");
  notify();
  void send();
}

/** Takes over what the server has, unless this browser has something newer to say. */
function take(settings: Settings): void {
  if (settings.version <= (version ?? 0)) {
    return;
  }
  version = settings.version;
  for (const field of fields) {
    const value = settings[field];
    if (value && own.get(unsent(field)) === null && (field !== "lastPage" || isPagePath(value))) {
      own.set(keptAs[field], value);
    }
  }
  notify();
}

/** Learns what the person's other browsers have kept, and sends what only this one has. Without a server it fails. */
export async function learn(): Promise<void> {
  const settings = await readSettings();
  if (settings) {
    take(settings);
  } else {
    version = 0;
    for (const field of fields.filter((f) => kept(f) !== null)) {
      own.set(unsent(field), "yes");
    }
  }
  await send();
}

/** Follows what another browser of the person changes meanwhile. */
export function applySettings(change: { collection: string; id: string; document?: unknown }): void {
  if (change.collection === "settings" && change.id === settingsId && change.document) {
    take(change.document as Settings);
  }
}

/** Sends what the server does not have, once it is known what it has. What cannot be sent waits for the next time. */
async function send(): Promise<void> {
  if (sending || version === undefined) {
    return;
  }
  sending = true;
  try {
    for (let change = changed(); change; change = changed()) {
      const settings = await changeSettings(change, version > 0);
      for (const field of fields.filter((f) => kept(f) === change?.[f])) {
        own.remove(unsent(field));
      }
      take(settings);
    }
  } catch {
    // What is unsent stays so.
  } finally {
    sending = false;
  }
}

function changed(): SettingsChange | undefined {
  const left = fields.filter((f) => own.get(unsent(f)) !== null);
  return left.length > 0 ? Object.fromEntries(left.map((f) => [f, kept(f) ?? ""])) : undefined;
}
