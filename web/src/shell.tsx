import { CircleAlert, Menu, WifiOff } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { useOnline, useOutbox } from "./data/hooks";
import { chatPath, parsePlace } from "./place";
import { Sidebar } from "./sidebar/sidebar";
import { Boundary } from "./ui/boundary";
import { IconButton } from "./ui/button";

/** The frame of every page: the side bar, which is a drawer on a phone, and what is said about the connection. */
export function Shell({ children }: { children: ReactNode }) {
  const [drawer, setDrawer] = useState(false);
  const [path] = useLocation();
  const menu = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (drawer) {
      menu.current?.querySelector("a")?.focus();
    }
  }, [drawer]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever chose a page wants to see it
  useEffect(() => {
    setDrawer(false);
  }, [path]);
  const onKeyDown = (e: KeyboardEvent) => {
    if (drawer && e.key === "Escape") {
      setDrawer(false);
      opener.current?.focus();
    }
  };
  return (
    <div className="flex h-dvh flex-col">
      <a href="#main" className="sr-only focus:not-sr-only focus:p-2">
        Skip to the conversation
      </a>
      <OfflineBanner />
      <RefusedBanner />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the menu wherever the focus is */}
      <div className="flex min-h-0 flex-1" onKeyDown={onKeyDown}>
        {drawer && (
          <button
            type="button"
            aria-label="Close the menu"
            className="fixed inset-0 z-20 bg-black/40 md:hidden"
            onClick={() => setDrawer(false)}
          />
        )}
        <div
          ref={menu}
          className={`${drawer ? "max-md:visible max-md:translate-x-0" : "max-md:invisible max-md:-translate-x-full"} w-72 shrink-0 max-md:fixed max-md:inset-y-0 max-md:left-0 max-md:z-30 max-md:transition-transform`}
        >
          <Boundary what="The list of chats">
            <Sidebar />
          </Boundary>
        </div>
        <div className="flex min-w-0 flex-1 flex-col">
          <div className="flex items-center gap-2 border-b border-line px-2 py-1 md:hidden">
            <IconButton
              ref={opener}
              label="Open the menu"
              aria-expanded={drawer}
              onClick={() => setDrawer(true)}
            >
              <Menu size={18} />
            </IconButton>
            <span className="font-semibold">Nestor</span>
          </div>
          {children}
        </div>
      </div>
    </div>
  );
}

function OfflineBanner() {
  const online = useOnline();
  const waiting = useOutbox().filter((m) => !m.error).length;
  if (online !== false) {
    return null;
  }
  return (
    <div
      role="status"
      className="flex items-center justify-center gap-2 bg-wait-wash px-3 py-1.5 text-sm text-wait"
    >
      <WifiOff size={15} aria-hidden />
      <span>
        You are offline. This is what the browser has
        {waiting > 0
          ? `; ${waiting === 1 ? "a message is" : `${waiting} messages are`} sent when the server is back.`
          : "."}
      </span>
    </div>
  );
}

/** A message that the server refused may be in a chat that the list does not have: deleted, or never begun. */
function RefusedBanner() {
  const [path] = useLocation();
  const here = parsePlace(path)?.chatId;
  const refused = useOutbox().find((m) => m.error && m.chatId !== here);
  if (!refused) {
    return null;
  }
  return (
    <div
      role="alert"
      className="flex items-center justify-center gap-2 bg-bad-wash px-3 py-1.5 text-sm text-bad"
    >
      <CircleAlert size={15} className="shrink-0" aria-hidden />
      <span className="min-w-0 truncate">
        “{refused.content.slice(0, 80)}” was not sent: {refused.error}
      </span>
      <Link href={chatPath(refused.chatId)} className="shrink-0 font-medium underline">
        Look at it
      </Link>
    </div>
  );
}
