import type * as api from "../../../clients/typescript/src/api";
import { named } from "../base";
import { ApiError, request } from "./http";

/** What the web UI remembers of a person in every browser. */
export type Settings = Pick<api.Settings, "theme" | "lastPage" | "version">;

export type SettingsChange = Partial<Omit<Settings, "version">>;

const path = "/records/settings";

/** The record that the web UI uses; programs may have others. */
export const settingsId = "default";

/** The settings of the person who is signed in, nothing if there are none yet. */
export async function readSettings(): Promise<Settings | undefined> {
  const { items } = await request<{ items: api.Settings[] }>("GET", `${path}?limit=200`);
  return items.find((s) => s.id === settingsId);
}

/**
 * Changes the settings, which are there or not as far as the browser knows, and returns them. Tabs do so one
 * after the other, so that none makes what another one just made.
 */
export function changeSettings(change: SettingsChange, there: boolean): Promise<Settings> {
  const locks: LockManager | undefined = globalThis.navigator?.locks; // missing at an insecure address
  const write = () => changed(change, there);
  return locks ? locks.request(named("nestor-settings"), write) : write();
}

async function changed(change: SettingsChange, known: boolean): Promise<Settings> {
  const make = () => request<Settings>("POST", path, { id: settingsId, ...change });
  const patch = () => request<Settings>("PATCH", `${path}/${settingsId}`, change);
  const there = known || (await readSettings()) !== undefined;
  try {
    return await (there ? patch() : make());
  } catch (e) {
    if (e instanceof ApiError && e.status === (there ? 404 : 409)) {
      return await (there ? make() : patch()); // another browser was faster
    }
    throw e;
  }
}
