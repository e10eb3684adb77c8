import { Menu } from "lucide-react";
import { createContext, useContext, useLayoutEffect } from "react";
import { words } from "../words";
import { IconButton } from "./button";

const say = words.shell;

export interface MenuState {
  open: boolean;
  show: () => void;
  /** Says that the page has the button in a header of its own; what is returned takes it back. */
  claim: () => () => void;
}

export const MenuContext = createContext<MenuState | undefined>(undefined);

/** Opens the side bar, which is a drawer on phones. A page with a header has it there: two bars would leave little room. */
export function MenuButton({ className = "" }: { className?: string }) {
  const menu = useContext(MenuContext);
  const claim = menu?.claim;
  useLayoutEffect(() => {
    const release = claim?.();
    return () => release?.();
  }, [claim]);
  return menu ? <OpenMenu menu={menu} className={className} /> : null;
}

/** The button alone, for the bar of pages without a header. */
export function OpenMenu({ menu, className = "" }: { menu: MenuState; className?: string }) {
  return (
    <IconButton
      label={say.openMenu}
      aria-expanded={menu.open}
      onClick={menu.show}
      className={`md:hidden ${className}`}
    >
      <Menu size={18} />
    </IconButton>
  );
}
