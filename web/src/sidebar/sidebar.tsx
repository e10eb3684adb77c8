import { PanelLeftClose, PanelLeftOpen, Plus, Search } from "lucide-react";
import { Link } from "wouter";
import { base } from "../base";
import { NotifyButton } from "../decisions/notifybutton";
import { shown } from "../find/keys";
import { openPalette } from "../find/open";
import { Boundary } from "../ui/boundary";
import { IconButton } from "../ui/button";
import { words } from "../words";
import { Account } from "./account";
import { ChatList } from "./list";
import { useLook } from "./look";
import { ResizeHandle } from "./resize";
import { ThemeButton } from "./theme";

const say = words.sidebar;

export function Sidebar({ onCollapse }: { onCollapse: () => void }) {
  const [{ folded }, setLook] = useLook();
  return (
    <aside aria-label={say.chats} className="relative flex h-full flex-col border-r border-line bg-panel">
      <div className="relative flex items-center gap-1 px-4 pt-4 pb-3">
        <img src={`${base}/favicon.svg`} alt="" className="size-6" />
        <span className="ml-1 flex-1 font-semibold tracking-tight">Nestor</span>
        <NotifyButton />
        <ThemeButton />
        <IconButton label={say.collapse} onClick={onCollapse} className="max-md:hidden">
          <PanelLeftClose size={16} />
        </IconButton>
      </div>
      <div className="flex gap-2 px-3 pb-2">
        <Link
          href="/new"
          className="flex min-w-0 flex-1 items-center gap-2 rounded-lg border border-line bg-raised px-3 py-1.5 text-sm font-medium hover:bg-hover max-md:py-2.5"
        >
          <Plus size={16} aria-hidden /> {say.newChat}
        </Link>
        <IconButton
          label={say.searchKeys(shown("palette"))}
          onClick={openPalette}
          className="size-auto w-9 border border-line bg-raised max-md:w-11"
        >
          <Search size={16} />
        </IconButton>
      </div>
      <ChatList
        folded={folded}
        onFold={(key, isFolded) =>
          setLook((look) => ({ ...look, folded: { ...look.folded, [key]: isFolded } }))
        }
      />
      <Boundary what={say.yourAccount}>
        <Account />
      </Boundary>
      <ResizeHandle />
    </aside>
  );
}

/** What is left of the side bar when it is hidden. */
export function Rail({ onExpand }: { onExpand: () => void }) {
  return (
    <aside
      aria-label={say.chats}
      className="flex h-full w-12 shrink-0 flex-col items-center gap-1 border-r border-line bg-panel pt-3 max-md:hidden"
    >
      <IconButton label={say.expand} onClick={onExpand}>
        <PanelLeftOpen size={16} />
      </IconButton>
      <Link
        href="/new"
        aria-label={say.newChat}
        title={say.newChat}
        className="flex size-8 items-center justify-center rounded-lg text-soft hover:bg-hover hover:text-ink"
      >
        <Plus size={16} />
      </Link>
      <IconButton label={say.searchKeys(shown("palette"))} onClick={openPalette}>
        <Search size={16} />
      </IconButton>
    </aside>
  );
}
