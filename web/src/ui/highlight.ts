import { createHighlighterCore, type GrammarState } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import type { languageOf } from "./languages";

/** Parts of a line, each with a colour for light and dark. */
export type Line = { text: string; color: string }[];

const highlighter = createHighlighterCore({
  engine: createJavaScriptRegexEngine(),
  themes: [import("shiki/themes/github-light-default.mjs"), import("shiki/themes/github-dark-default.mjs")],
});

const options = {
  themes: { light: "github-light-default", dark: "github-dark-default" },
  colorReplacements: {
    // Its comments, and what it takes for deleted, are too pale on the ground that code has here.
    "github-light-default": { "#6e7781": "#59636e", "#953800": "#8a3400", "#116329": "#0f5c26" },
  },
  tokenizeMaxLineLength: 2000,
};

/** A painter for a language, which is loaded if nobody needed it before. */
export async function painter(language: NonNullable<ReturnType<typeof languageOf>>): Promise<Painter> {
  const h = await highlighter;
  await h.loadLanguage(language.load());
  return new Painter((text, state) => {
    const { tokens, grammarState } = h.codeToTokens(text, {
      ...options,
      lang: language.id,
      grammarState: state,
    });
    const lines = tokens.map((line) =>
      line.map(({ content, htmlStyle = {} }) => ({
        text: content,
        // A value of React's style, which a strict content policy allows.
        color: `light-dark(${htmlStyle.color ?? "inherit"}, ${htmlStyle["--shiki-dark"] ?? "inherit"})`,
      })),
    );
    return { lines, state: grammarState };
  });
}

type Paint = (text: string, state?: GrammarState) => { lines: Line[]; state?: GrammarState };

/** Colours a text chunk by chunk, and remembers: a text that grows has only its end coloured anew. */
export class Painter {
  private done: { text: string; lines: Line[]; state?: GrammarState }[] = [];

  constructor(private readonly paint: Paint) {}

  /** The lines of the first chunks; at most so many are coloured at a time, for long texts not to hold up the page. */
  lines(chunks: readonly string[], atMost: number): Line[][] {
    const same = this.done.findIndex((d, i) => d.text !== chunks[i]);
    if (same >= 0) {
      this.done.length = same;
    }
    for (let i = this.done.length, fresh = 0; i < chunks.length && fresh < atMost; i++, fresh++) {
      const text = chunks[i] ?? "";
      this.done.push({ text, ...this.paint(text, this.done[i - 1]?.state) });
    }
    return this.done.map((d) => d.lines);
  }
}
