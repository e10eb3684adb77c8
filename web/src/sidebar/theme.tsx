import { Monitor, Moon, Sun } from "lucide-react";
import { useState } from "react";
import { loadTheme, saveTheme, type Theme } from "../data/settings";
import { IconButton } from "../ui/button";

const next: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const icons = { system: Monitor, light: Sun, dark: Moon };

export function ThemeButton() {
  const [theme, setTheme] = useState(loadTheme);
  const Icon = icons[theme];
  const change = () => {
    saveTheme(next[theme]);
    setTheme(next[theme]);
  };
  return (
    <IconButton label={`Theme: ${theme}. Change to ${next[theme]}`} onClick={change}>
      <Icon size={16} />
    </IconButton>
  );
}
