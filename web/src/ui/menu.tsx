import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import { IconButton } from "./button";

interface Props {
  label: string;
  icon: ReactNode;
  className?: string;
  items: readonly { name: string; icon: ReactNode; danger?: boolean; act: () => void }[];
}

/**
 * A button with a menu. The browser shows the menu above all else, closes it on Escape or a press elsewhere,
 * and gives the focus back.
 */
export function Menu({ label, icon, className = "", items }: Props) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const show = () => {
    const [at, el] = [button.current?.getBoundingClientRect(), menu.current];
    if (!at || !el) {
      return;
    }
    el.showPopover();
    el.style.left = `${Math.max(8, Math.min(at.left, innerWidth - el.offsetWidth - 8))}px`;
    el.style.top = `${at.bottom + el.offsetHeight + 8 > innerHeight ? at.top - el.offsetHeight - 4 : at.bottom + 4}px`;
    el.querySelector("button")?.focus();
  };
  const onKeyDown = (e: KeyboardEvent) => {
    const all = [...(menu.current?.querySelectorAll("button") ?? [])];
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[e.key];
    if (to !== undefined) {
      e.preventDefault();
      all.at(to % all.length)?.focus();
    }
    e.stopPropagation(); // what is below has keys of its own
  };
  return (
    <>
      <IconButton
        ref={button}
        label={label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={id}
        onClick={show}
        className={className}
      >
        {icon}
      </IconButton>
      <div
        ref={menu}
        id={id}
        role="menu"
        tabIndex={-1}
        aria-label={label}
        popover="auto"
        onToggle={(e) => setOpen(e.newState === "open")}
        onKeyDown={onKeyDown}
        className="fixed m-0 min-w-44 rounded-lg border border-line bg-raised p-1 text-ink shadow-lg"
      >
        {items.map(({ name, icon, danger, act }) => (
          <button
            key={name}
            type="button"
            role="menuitem"
            onClick={() => {
              menu.current?.hidePopover();
              act();
            }}
            className={`flex w-full items-center gap-2 rounded-md px-2.5 py-1.5 text-left text-sm hover:bg-hover focus-visible:bg-hover max-md:py-2.5 ${danger ? "text-bad" : ""}`}
          >
            {icon}
            <span className="truncate">{name}</span>
          </button>
        ))}
      </div>
    </>
  );
}
