import { subscribeFollowing } from "./follow";
import { loadTheme, saveTheme, showTheme, type Theme } from "./settings";

const order: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };

export const nextTheme = (theme: Theme): Theme => order[theme];

/** Goes on to the next theme. */
export const changeTheme = () => saveTheme(nextTheme(loadTheme()));

/** Shows the theme, and every other one that is chosen here or in another browser. */
export function followTheme(): void {
  const show = () => showTheme(loadTheme());
  show();
  subscribeFollowing(show);
}
