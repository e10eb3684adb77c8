import { useEffect } from "react";
import { named } from "../base";
import { ownerId } from "../data/owner";
import { loadNotify, noteTold, saveNotify } from "../data/settings";

/** Browsers have notifications and locks where a page is trusted: over HTTPS, and on the machine itself. */
export const canNotify = () => "Notification" in window && "locks" in navigator;

/** A tab that is looked at holds this together with the others that are. */
const looking = () => named(`nestor-looking/${ownerId()}`);
const telling = () => named(`nestor-telling/${ownerId()}`);

/** Whether the person wants to be told, and the browser lets us. */
export const isNotifying = () => canNotify() && loadNotify() && Notification.permission === "granted";

/** Switches it on or off. False if the browser refuses: it asks the person, and remembers what they say. */
export async function setNotify(on: boolean): Promise<boolean> {
  const allowed = !on || (canNotify() && (await Notification.requestPermission()) === "granted");
  saveNotify(on && allowed);
  return allowed;
}

/**
 * Tells the person of something once, whatever tabs are open, unless they look at one of them:
 * then they see it.
 */
export async function notify(
  id: string,
  isNow: () => boolean,
  { title, body }: { title: string; body: string },
  onClick: () => void,
): Promise<void> {
  if (!isNotifying() || !isNow()) {
    return; // what a page shows before it has heard from the server may be long over
  }
  await navigator.locks.request(telling(), async () => {
    const { held = [] } = await navigator.locks.query();
    if (document.visibilityState === "visible" || held.some((l) => l.name === looking()) || !noteTold(id)) {
      return;
    }
    const shown = new Notification(title, { body, tag: id });
    shown.onclick = () => {
      window.focus();
      onClick();
      shown.close();
    };
  });
}

/** Notes what a tab that is looked at shows, and lets the other tabs know that it is looked at. */
export function useSeen(ids: string): void {
  useEffect(() => {
    if (!canNotify()) {
      return;
    }
    let away = () => {};
    const look = () => {
      away();
      if (document.visibilityState !== "visible") {
        return;
      }
      for (const id of ids.split(" ").filter(Boolean)) {
        noteTold(id);
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      away = resolve;
      void navigator.locks.request(looking(), { mode: "shared" }, () => promise);
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => {
      away();
      document.removeEventListener("visibilitychange", look);
    };
  }, [ids]);
}
