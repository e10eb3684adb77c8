import { type ComponentType, createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { Router } from "wouter";
import { Markdown } from "./markdown";

const Page = Router as ComponentType<{ ssrPath: string }>;

const html = (text: string, live = false) =>
  renderToStaticMarkup(createElement(Page, { ssrPath: "/" }, createElement(Markdown, { text, live })));

describe("hostile text stays text", () => {
  test.each([
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt&#58;alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](vbscript:msgbox)",
    "![x](javascript:alert(1))",
    "![x](data:image/svg+xml;base64,PHN2Zy8+)",
    "![x](data:text/html;base64,PHN2Zy8+)",
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "<svg onload=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<a href='javascript:alert(1)'>x</a>",
    "[x]\n\n[x]: javascript:alert(1)",
    "x[^1]\n\n[^1]: [y](javascript:alert(1))",
    "| <img src=x onerror=alert(1)> |\n|---|\n| [x](javascript:alert(1)) |",
    '```"><img/src=x/onerror=alert(1)>\ncode\n```',
    "$\\href{javascript:alert(1)}{x}$",
    "<tex-inline source='x' onclick='alert(1)'>",
  ])("%s", (text) => {
    const markup = html(text);
    expect(markup).not.toMatch(/<[^>]*(?:href|src)="(?!https?:|\/|#)[^"]+"/i);
    expect(markup).not.toMatch(/<(?:script|iframe|svg onload|object|embed)/i);
    expect(markup).not.toMatch(/<[a-z][^>]* on[a-z]+=/i);
  });
});

test("links go elsewhere without telling, and pages of the UI stay in it", () => {
  expect(html("[a](https://a.org)")).toContain('target="_blank" rel="noreferrer noopener"');
  expect(html("[d](/documents/d1)")).not.toContain("_blank");
  expect(html("[x](//evil.org/documents/d1)")).toContain("_blank");
});

test("pictures are shown if they are pixels in the text or files of the server, else linked", () => {
  expect(html("![a](data:image/png;base64,iVBORw0=)")).toContain('<img src="data:image/png;base64,iVBORw0="');
  expect(html("![a](/api/v1/files/f1/content)")).toContain("<img");
  expect(html("![a](https://elsewhere.org/pixel.png)")).not.toContain("<img");
  expect(html("![a](/api/v1/users?x=1)")).not.toContain("<img");
});

test("while a text is written, what is not complete does not show its marks", () => {
  expect(html("a **bold", true)).toContain("<strong>bold</strong>");
  expect(html("see [the page](https://exa", true)).toContain("<p>see the page</p>");
  expect(html("```js\nlet a;\n``", true)).not.toContain("``");
  expect(html("a **bold")).toContain("a **bold");
});
