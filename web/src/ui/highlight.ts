import { createHighlighterCore } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";

/** Parts of a line, each with a colour for light and dark. */
export type Line = { text: string; color: string }[];

const highlighter = createHighlighterCore({
  engine: createJavaScriptRegexEngine(),
  themes: [import("shiki/themes/github-light-default.mjs"), import("shiki/themes/github-dark-default.mjs")],
  langs: [
    import("shiki/langs/bash.mjs"),
    import("shiki/langs/css.mjs"),
    import("shiki/langs/go.mjs"),
    import("shiki/langs/html.mjs"),
    import("shiki/langs/json.mjs"),
    import("shiki/langs/markdown.mjs"),
    import("shiki/langs/python.mjs"),
    import("shiki/langs/rust.mjs"),
    import("shiki/langs/sql.mjs"),
    import("shiki/langs/typescript.mjs"),
    import("shiki/langs/yaml.mjs"),
  ],
});

/** Colours as values of React's style, which a strict content policy allows; undefined for an unknown language. */
export async function highlight(text: string, language: string): Promise<Line[] | undefined> {
  const h = await highlighter;
  if (!h.getLoadedLanguages().includes(language)) {
    return undefined;
  }
  const themes = { light: "github-light-default", dark: "github-dark-default" };
  return h.codeToTokensWithThemes(text, { lang: language, themes }).map((line) =>
    line.map(({ content, variants }) => ({
      text: content,
      color: `light-dark(${variants.light?.color ?? "inherit"}, ${variants.dark?.color ?? "inherit"})`,
    })),
  );
}
