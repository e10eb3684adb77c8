import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import ReactMarkdown, { type Components } from "react-markdown";
import { expect, test } from "vitest";
import { displayTag, inlineTag, remarkMath } from "./mathsyntax";

const components = {
  [inlineTag]: ({ source }: { source: string }) => `⟨${source}⟩`,
  [displayTag]: ({ source }: { source: string }) => `⟪${source}⟫`,
} as Components;

const shown = (text: string) =>
  renderToStaticMarkup(createElement(ReactMarkdown, { remarkPlugins: [remarkMath], components }, text));

test.each([
  ["one in a line", "so $x^2$ is", "<p>so ⟨x^2⟩ is</p>"],
  ["two in a line", "$a$, $b$ and $c$.", "<p>⟨a⟩, ⟨b⟩ and ⟨c⟩.</p>"],
  ["with parentheses", "so \\(x_1\\) is", "<p>so ⟨x_1⟩ is</p>"],
  ["Markdown's marks inside mean nothing", "$a*b*c_1_2$", "<p>⟨a*b*c_1_2⟩</p>"],
  ["escaped dollars inside", "$5\\$ + x$", "<p>⟨5\\$ + x⟩</p>"],
  ["over the end of a line", "$a +\nb$ c", "<p>⟨a +\nb⟩ c</p>"],
  ["in a line of its own", "$$x = 1$$", "⟪x = 1⟫"],
  ["in a line with words", "then $$x = 1$$ follows", "<p>then ⟪x = 1⟫ follows</p>"],
  ["in lines, with what would be a list", "$$\na\n\n+ b\n= c\n$$", "⟪a\n\n+ b\n= c⟫"],
  ["with brackets", "text\n\\[\n- a\n\\]\nmore", "<p>text</p>\n⟪- a⟫\n<p>more</p>"],
  ["in a quotation", "> $$\n> a\n> $$\n\nb", "<blockquote>\n⟪a⟫\n</blockquote>\n<p>b</p>"],
  ["in a list", "- a\n  \\[\n  x\n  \\]\n- b", "<ul>\n<li>a\n⟪x⟫\n</li>\n<li>b</li>\n</ul>"],
  ["one that nobody closes", "$$\na", "⟪a⟫"],
])("a formula %s", (_, text, want) => {
  expect(shown(text)).toBe(want);
});

test.each([
  "It costs $5 and $10.",
  "Between $5-$10, or US$3 and US$4.",
  "$5,000 to $6,000 per month, or $50k/yr ($4k a month)",
  "a $ b $ c",
  "\\$x\\$",
  "`$x$`",
  "100$ and 200$",
  "$HOME/bin and $PATH is set",
])("no formula: %s", (text) => {
  expect(shown(text)).not.toMatch(/[⟨⟪]/);
});
