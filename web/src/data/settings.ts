/** What lasts in this browser: theme, last page, and whether the side bar is open. */
export type Theme = "system" | "light" | "dark";

export function loadTheme(): Theme {
  const theme = localStorage.getItem("nestor.theme");
  return theme === "light" || theme === "dark" ? theme : "system";
}

export function saveTheme(theme: Theme): void {
  localStorage.setItem("nestor.theme", theme);
  showTheme(theme);
}

export function showTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
}

export const loadPage = () => localStorage.getItem("nestor.page") ?? "/";

export const savePage = (path: string) => localStorage.setItem("nestor.page", path);
