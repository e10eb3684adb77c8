import { lazy, Suspense, useEffect } from "react";
import { useLocation } from "wouter";
import { setLook } from "../sidebar/look";
import { type Command, commandOf, isTyping } from "./keys";
import { openBar, openHelp, openPalette, useDialog } from "./open";

const Palette = lazy(() => import("./palette"));
const Help = lazy(() => import("./help"));

/** Puts the focus into the field for messages, and reports whether there is one. */
function write(): boolean {
  const field = document.querySelector<HTMLElement>("main textarea");
  field?.focus();
  return field !== null;
}

/** Listens to the keys that work everywhere, and shows what they open. */
export function Commands() {
  const [, navigate] = useLocation();
  const dialog = useDialog();
  useEffect(() => {
    void import("./palette"); // now, so that what is typed right after its key goes into it
  }, []);
  useEffect(() => {
    const act: Record<Command, () => boolean> = {
      palette: () => done(openPalette),
      help: () => done(openHelp),
      write: () => write() || done(openPalette),
      find: () => openBar(),
      newChat: () => done(() => navigate("/new")),
      collapse: () => done(() => setLook((look) => ({ ...look, collapsed: !look.collapsed }))),
    };
    const onKeyDown = (e: KeyboardEvent) => {
      const command = commandOf(e, isTyping(e.target));
      const isBelowDialog = document.querySelector("dialog[open]") !== null && command !== "palette";
      if (!command || e.defaultPrevented || isBelowDialog) {
        return;
      }
      if (act[command]()) {
        e.preventDefault();
      }
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [navigate]);
  return (
    <Suspense>
      {dialog === "palette" && <Palette />}
      {dialog === "help" && <Help />}
    </Suspense>
  );
}

function done(work: () => void): true {
  work();
  return true;
}
