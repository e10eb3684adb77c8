import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import ReactMarkdown from "react-markdown";
import remarkGfm from "remark-gfm";
import { describe, expect, test } from "vitest";
import { Blocks } from "./blocks";
import { remarkMath } from "./mathsyntax";
import { resolve } from "./references";

const html = (text: string) =>
  renderToStaticMarkup(createElement(ReactMarkdown, { remarkPlugins: [remarkGfm, remarkMath] }, text));

const squeezed = (markup: string) => markup.replace(/\n+/g, "\n").trim();

const samples: Record<string, string> = {
  "paragraphs and headings": "# One\ntext\n\nmore\ntext\n\n## Two\n\n---\n\nend",
  "tight and loose lists": "- a\n- b\n\n- c\n\ntext\n\n1. x\n\n   inside\n\n2. y",
  "a list with code in an item": "- a\n\n  ```js\n  f();\n\n  g();\n  ```\n\n- b\n\ndone",
  "code of its own between items": "1. a\n```\nx\n\ny\n```\n2. b",
  "a fence that interrupts": "text\n```go\nfunc f() {\n\n}\n```\nmore",
  "fences of other lengths": "````md\n```\ninner\n```\n````\n\n~~~\n```\n~~~\n",
  "indented code with a gap": "    a\n\n    b\n\ntext",
  quotations: "> a\n> b\n\n> c\n>\n> - d\n\nend",
  "a table": "| a | b |\n|---|--:|\n| 1 | 2 |\n\nafter",
  "formulas in lines": "before\n$$\na\n\n+ b\n$$\nafter\n\n\\[\n- c\n\\]\n\nend",
  "a list behind text": "text\n- a\n\n- b\n\nend",
  HTML: "<div>\n*a*\n\n</div>\n\nend",
};

describe("blocks of a text mean what the text means", () => {
  test.each(Object.entries(samples))("%s", (_, text) => {
    const alone = new Blocks().of(text).map((b) => html(b.text));
    expect(squeezed(alone.join("\n"))).toBe(squeezed(html(text)));
  });

  test("also while it grows, whatever its pieces are", () => {
    for (const text of Object.values(samples)) {
      for (const step of [1, 3, 7]) {
        const growing = new Blocks();
        for (let end = step; end < text.length + step; end += step) {
          const so = text.slice(0, end);
          expect(growing.of(so), JSON.stringify(so)).toEqual(new Blocks().of(so));
        }
      }
    }
  });

  test("a text that is another one is cut anew", () => {
    const blocks = new Blocks();
    blocks.of("a\n\nb\n\nc\n\nd");
    expect(blocks.of("x\n\ny").map((b) => b.text.trim())).toEqual(["x", "y"]);
  });
});

test("a long text is not parsed again with each piece", () => {
  const paragraph = "Some **words** of a paragraph with `code` and so on. ".repeat(5);
  const text = `${paragraph}\n\n- item\n- item\n\n\`\`\`go\nfunc f() {}\n\`\`\`\n\n`
    .repeat(700)
    .slice(0, 200_000);
  const blocks = new Blocks();
  let parsed = 0;
  let known: { text: string }[] = [];
  for (let end = 40; end <= text.length; end += 40) {
    const now = blocks.of(text.slice(0, end));
    parsed += now.reduce(
      (sum, b, i) => (b === known[i] || b.text === known[i]?.text ? sum : sum + b.text.length),
      0,
    );
    known = now;
  }
  expect(text.length / 40).toBe(5000);
  expect(parsed).toBeLessThan(10 * text.length);
});

test("what a fence holds is known while it is open", () => {
  expect(new Blocks().of("```ts title=x\nlet a;\n")[0]?.code).toEqual({
    text: "let a;",
    language: "ts",
    open: true,
  });
  expect(new Blocks().of("```\nlet a;\n```")[0]?.code).toEqual({ text: "let a;", language: "", open: false });
});

describe("references", () => {
  const resolved = (text: string) => resolve(new Blocks().of(text));

  test("a link finds its address in another block", () => {
    const { blocks } = resolved("See [the page][p] and [p].\n\nOther text.\n\n[p]: https://example.org/\n");
    expect(blocks.map((b) => html(b.text))).toEqual([
      '<p>See <a href="https://example.org/">the page</a> and <a href="https://example.org/">p</a>.</p>',
      "<p>Other text.</p>",
    ]);
  });

  test("footnotes are numbered as they are mentioned, and each is there once", () => {
    const { blocks, notes } = resolved(
      "One[^b].\n\nTwo[^A] and[^b].\n\n[^a]: first\n[^b]: second\n    goes on\n\n[^c]: unused",
    );
    expect(notes).toEqual([
      { label: "b", text: "second\ngoes on" },
      { label: "a", text: "first" },
    ]);
    expect(blocks).toHaveLength(2);
  });

  test("what is in code defines nothing", () => {
    expect(resolved("[x]\n\n```\n[x]: /y\n```\n").blocks[0]?.text).toBe("[x]\n");
  });
});
