import { Monitor, Moon, Sun } from "lucide-react";
import { useSyncExternalStore } from "react";
import { subscribeFollowing } from "../data/follow";
import { loadTheme } from "../data/settings";
import { changeTheme, nextTheme } from "../data/theme";
import { IconButton } from "../ui/button";
import { words } from "../words";

const icons = { system: Monitor, light: Sun, dark: Moon };

export function ThemeButton() {
  const theme = useSyncExternalStore(subscribeFollowing, loadTheme);
  const Icon = icons[theme];
  return (
    <IconButton label={words.sidebar.theme(theme, nextTheme(theme))} onClick={changeTheme}>
      <Icon size={16} />
    </IconButton>
  );
}
