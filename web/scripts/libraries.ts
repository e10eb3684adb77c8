import type { Plugin } from "vite";

/** Small changes to libraries. One that does not find its place fails the build, for somebody to look after an update. */

/** RxDB's storage advertises others in the console of everybody who opens the page. Its licence allows to leave that out. */
export const quietStorage = change(
  "quiet-storage",
  /rxdb\/dist\/esm\/plugins\/storage-dexie\/rx-storage-instance-dexie\.js$/,
  "var shownNonPremiumLog = false;",
  () => "var shownNonPremiumLog = true;",
);

/** Below it Dexie warns when another tab deletes the data, which is what signing out does. */
export const quietDeletion = change(
  "quiet-deletion",
  /dexie\/dist\/dexie(?:\.min)?\.js$/,
  /console\.warn\((?=["'`]Another connection wants to delete)/g,
  () => "void (",
);

/** KaTeX offers each font in three formats. Every browser that can show the page reads the first. */
export const smallFonts = change(
  "small-fonts",
  /katex\/dist\/katex\.css$/,
  /,\s*url\([^)]*\.(?:woff|ttf)\) format\(["'](?:woff|truetype)["']\)/g,
  () => "",
);

function change(name: string, file: RegExp, from: string | RegExp, to: () => string): Plugin {
  return {
    name,
    enforce: "pre",
    transform(code, id) {
      if (!file.test(id.replace(/\?.*$/, ""))) {
        return undefined;
      }
      const changed = code.replace(from, to);
      if (changed === code) {
        this.error(`${name}: there is nothing to change in ${id}`);
      }
      return { code: changed, map: null };
    },
  };
}
