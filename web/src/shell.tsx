import { CircleAlert, WifiOff } from "lucide-react";
import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { Link, useLocation } from "wouter";
import { useOnline, useOutbox } from "./data/hooks";
import { Commands } from "./find/commands";
import { chatPath, parsePlace } from "./place";
import { useLook } from "./sidebar/look";
import { Seen } from "./sidebar/seen";
import { Rail, Sidebar } from "./sidebar/sidebar";
import { Boundary } from "./ui/boundary";
import { MenuContext, OpenMenu } from "./ui/drawer";
import { useFocusInside } from "./ui/focus";
import { words } from "./words";

const say = words.shell;

/** The frame of every page: the side bar, which is a drawer on a phone, and what is said about the connection. */
export function Shell({ children }: { children: ReactNode }) {
  const [drawer, setDrawer] = useState(false);
  const [path] = useLocation();
  const [{ width, collapsed }, setLook] = useLook();
  const collapse = (collapsed: boolean) => setLook((look) => ({ ...look, collapsed }));
  const menu = useRef<HTMLDivElement>(null);
  const [claims, setClaims] = useState(0);
  useFocusInside(drawer, menu, "a");
  const claim = useCallback(() => {
    setClaims((n) => n + 1);
    return () => setClaims((n) => n - 1);
  }, []);
  const state = useMemo(() => ({ open: drawer, show: () => setDrawer(true), claim }), [drawer, claim]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever chose a page wants to see it
  useEffect(() => {
    setDrawer(false);
  }, [path]);
  const onKeyDown = (e: KeyboardEvent) => {
    if (drawer && e.key === "Escape") {
      setDrawer(false);
    }
  };
  return (
    <div className="flex h-dvh flex-col">
      <a href="#main" className="sr-only focus:not-sr-only focus:p-2">
        {say.skip}
      </a>
      <OfflineBanner />
      <RefusedBanner />
      <Seen />
      <Commands />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the menu wherever the focus is */}
      <div className="flex min-h-0 flex-1" onKeyDown={onKeyDown}>
        {drawer && (
          <button
            type="button"
            aria-label={say.closeMenu}
            className="fixed inset-0 z-20 bg-black/40 md:hidden"
            onClick={() => setDrawer(false)}
          />
        )}
        {collapsed && <Rail onExpand={() => collapse(false)} />}
        <div
          ref={menu}
          style={{ "--sidebar": `${width}px` } as CSSProperties}
          className={`${collapsed ? "md:hidden" : ""} ${drawer ? "max-md:visible max-md:translate-x-0" : "max-md:invisible max-md:-translate-x-full"} w-(--sidebar) shrink-0 max-md:fixed max-md:w-[min(20rem,85vw)] max-md:inset-y-0 max-md:left-0 max-md:z-30 max-md:transition-transform`}
        >
          <Boundary what={say.parts.chats}>
            <Sidebar onCollapse={() => collapse(true)} />
          </Boundary>
        </div>
        <div className="flex min-w-0 flex-1 flex-col">
          {claims === 0 && (
            <header className="flex items-center gap-2 border-b border-line px-2 py-1 md:hidden">
              <OpenMenu menu={state} />
              <span className="font-semibold">Nestor</span>
            </header>
          )}
          <MenuContext value={state}>{children}</MenuContext>
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
      <span>{waiting > 0 ? say.offlineWithUnsent(waiting) : say.offline}</span>
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
        {say.refused(refused.content.slice(0, 80), refused.error ?? "")}
      </span>
      <Link href={chatPath(refused.chatId)} className="shrink-0 font-medium underline">
        {say.look}
      </Link>
    </div>
  );
}
