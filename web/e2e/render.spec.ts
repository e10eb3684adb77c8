import type { Page } from "@playwright/test";
import { enter, expect, inspect, inspector, say, shot, test } from "./fixtures";
import { gate } from "./model";

const answer = (page: Page) => page.getByRole("article", { name: "Nestor", exact: true });

const everything = `# Everything in one answer

A formula in a line, $e^{i\\pi} + 1 = 0$, and \\(\\vec{v} \\cdot \\vec{w}\\); it costs $5 and $10.

$$
\\sum_{k=1}^{n} k
= \\frac{n(n+1)}{2}
$$

\\[ \\int_0^1 x^2 \\, dx = \\tfrac{1}{3} \\]

\`\`\`python
def greet(name: str) -> str:
    # A comment, and a line that is much longer than the box in which it is shown, so that one has to scroll or to wrap it.
    return f"Hello, {name}!"
\`\`\`

\`\`\`mermaid
flowchart LR
  A[Question] --> B{Known?}
  B -- yes --> C[Answer]
  B -- no --> D[Search] --> C
\`\`\`

- [x] a task that is done
- [ ] a task that is open

1. First
   - nested
2. Second

| Name | Price | Stock | Made in | Colour | Weight | Warranty | Remarks |
|------|------:|------:|---------|--------|-------:|----------|---------|
| Lamp | 10 | 3 | Portugal | white | 1.2 kg | two years | a rather long remark about it |
| Desk | 250 | 1 | Sweden | birch | 31 kg | ten years | comes in two parcels |

> A quotation with **bold** and \`code\`.

A claim[^1] and another[^two], with [a link][home].

[^1]: The first note.
[^two]: The second, with *emphasis*.

[home]: https://example.org/
`;

test("an answer has formulas, diagrams, code, tables, tasks and footnotes", async ({
  page,
  scripted,
  model,
}) => {
  model.script = () => ({ pieces: [everything] });
  await enter(page, scripted);
  await say(page, "Show me everything");
  const text = answer(page);
  await expect(text.locator("[data-formula=drawn]")).toHaveCount(4);
  await expect(text.locator(".katex-display")).toHaveCount(2);
  await expect(text.getByText("it costs $5 and $10.")).toBeVisible();
  await expect(text.locator("[data-diagram=drawn] img")).toBeVisible();
  await expect(text.locator("figcaption", { hasText: "Python" })).toBeVisible();
  await expect(text.locator("pre span[style]").first()).toBeVisible();
  await expect(text.getByRole("img", { name: "Done", exact: true })).toHaveCount(1);
  await expect(text.getByRole("img", { name: "Not done" })).toHaveCount(1);
  await expect(text.getByRole("region", { name: "Footnotes" }).getByRole("listitem")).toHaveCount(2);
  await expect(text.getByRole("link", { name: "Footnote 2", exact: true })).toHaveText("2");
  await expect(text.getByRole("link", { name: "a link" })).toHaveAttribute("href", "https://example.org/");
  await text.getByRole("heading", { name: "Everything in one answer" }).scrollIntoViewIfNeeded();
  await shot(page, "render-top");
  await text.locator("[data-diagram]").scrollIntoViewIfNeeded();
  await shot(page, "render-diagram");
  await text.getByRole("region", { name: "Footnotes" }).scrollIntoViewIfNeeded();
  await shot(page, "render-end");
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(async () => {
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  }).toPass();
  await shot(page, "render-phone-end");
  await text.getByRole("heading", { name: "Everything in one answer" }).scrollIntoViewIfNeeded();
  await shot(page, "render-phone-top");
});

test("a diagram shows its source on demand, and says why when it cannot be drawn", async ({
  page,
  scripted,
  model,
}) => {
  model.script = () => ({
    pieces: [
      "```mermaid\nflowchart LR\n  A --> B\n```\n\nand\n\n```mermaid\nflowchart LR\n  A --> \n  --> [\n```\n",
    ],
  });
  await enter(page, scripted);
  await say(page, "Draw");
  const drawn = answer(page).locator("[data-diagram=drawn]");
  await expect(drawn.getByRole("img")).toBeVisible();
  const light = await drawn.getByRole("img").getAttribute("src");
  await drawn.getByRole("button", { name: "Show the source" }).click();
  await expect(drawn).toContainText("A --> B");
  await drawn.getByRole("button", { name: "Show the diagram" }).click();
  await page.emulateMedia({ colorScheme: "dark" });
  await expect(drawn.getByRole("img")).not.toHaveAttribute("src", light ?? "");
  const failed = answer(page).locator("[data-diagram=failed]");
  await expect(failed.getByRole("status")).toContainText("The diagram cannot be drawn: ");
  await expect(failed.locator("pre")).toContainText("--> [");
  await shot(page, "render-diagrams");
});

test("a diagram is not drawn while the answer is being written", async ({ page, scripted, model }) => {
  const rest = gate();
  model.script = () => ({
    pieces: ["```mermaid\nflowchart LR\n  A --> B\n```\n\nThen ", rest.opened, "the end."],
  });
  await enter(page, scripted);
  await say(page, "Draw");
  await expect(page.getByText("Then")).toBeVisible();
  await expect(page.locator("[data-diagram]")).toHaveCount(0);
  await expect(page.locator("iframe")).toHaveCount(0);
  rest.open();
  await expect(answer(page).locator("[data-diagram=drawn]")).toBeVisible();
});

test.describe("with hostile text", () => {
  // The frame of diagrams refuses what Mermaid would try out.
  test.use({ provoked: /inline event handler violates/ });

  test("nothing happens", async ({ page, scripted, model }) => {
    const hostile = [
      "<img src=x onerror=\"window.hit='html'\"> <script>window.hit='script'</script>",
      "[a link](javascript:window.hit='link') and ![a picture](javascript:window.hit='picture')",
      "$\\href{javascript:window.hit='formula'}{x} \\message{hit}$",
      "```mermaid\nflowchart LR\n  A[\"<img src=x onerror=parent.hit='diagram'>\"] --> B\n  click A href \"javascript:parent.hit='click'\"\n```",
      '```mermaid\n%%{init: {"securityLevel": "loose", "htmlLabels": true}}%%\nflowchart LR\n  A["<script>parent.hit=\'loose\'</script><b>B</b>"]\n```',
      "![tracking](https://example.org/pixel.png)",
    ].join("\n\n");
    const outside: string[] = [];
    page.on("request", (r) => {
      if (!r.url().startsWith(scripted.url) && !r.url().startsWith("data:")) {
        outside.push(r.url());
      }
    });
    model.script = () => ({ pieces: [hostile] });
    await enter(page, scripted);
    await say(page, "Attack");
    await expect(answer(page).locator("[data-diagram=drawn], [data-diagram=failed]")).toHaveCount(2);
    await expect(answer(page).getByText("<script>window.hit='script'</script>")).toBeVisible();
    await expect(answer(page).getByText("a link")).toBeVisible();
    await expect(answer(page).getByRole("link", { name: "a link" })).toHaveCount(0);
    await expect(answer(page).getByRole("link", { name: "tracking" })).toBeVisible();
    expect(await page.evaluate(() => "hit" in window)).toBe(false);
    expect(outside).toEqual([]);
    const frame = page.frames().find((f) => f.url().endsWith("/diagram.html"));
    expect(await frame?.evaluate(() => origin)).toBe("null");
  });
});

const long = (() => {
  const part = `${"Some **words** of a paragraph, with `code`. ".repeat(8)}And $x^2$.\n\n- one\n- two\n\n\`\`\`go\nfunc f() int {\n\treturn 1\n}\n\`\`\`\n\n`;
  return part.repeat(Math.ceil(200_000 / part.length)).slice(0, 200_000);
})();

/** Notes how many blocks of a text come into the page at once at most. In between the page answers. */
function watchBlocks(): void {
  const seen = { most: 0 };
  Object.assign(window, { seen });
  new MutationObserver((all) => {
    const added = all.flatMap((m) =>
      m.target instanceof Element && m.target.matches(".prose") ? [...m.addedNodes] : [],
    );
    const whole = all.flatMap((m) => [...m.addedNodes]).filter((n) => n instanceof Element);
    const inside = whole.flatMap((n) => [...n.querySelectorAll(".prose > *")]);
    seen.most = Math.max(seen.most, added.length + inside.length);
  }).observe(document, { subtree: true, childList: true });
}

const mostAtOnce = (page: Page) =>
  page.evaluate(() => (window as unknown as { seen: { most: number } }).seen.most);

test("an answer of 200 kB in 5,000 pieces stays smooth", async ({ page, scripted, model }) => {
  test.setTimeout(180_000);
  const pieces = Array.from({ length: 5000 }, (_, i) => long.slice(i * 40, (i + 1) * 40));
  // A quick model: 500 pieces in a second.
  const paced = pieces.flatMap((piece, i) => (i % 10 === 9 ? [piece, { afterMs: 20 }] : [piece]));
  model.script = () => ({ pieces: paced });
  await page.addInitScript(watchBlocks);
  await enter(page, scripted);
  await say(page, "Write a lot");
  await page.locator("article[aria-busy=true]").waitFor();
  await page.locator("article[aria-busy=false]").waitFor({ timeout: 150_000 });
  const written = await mostAtOnce(page);
  await page.reload();
  await page
    .locator("article[aria-busy=false] figure")
    .nth(300)
    .waitFor({ state: "attached", timeout: 60_000 });
  const opened = await mostAtOnce(page);
  for (const [when, most] of Object.entries({ written, opened })) {
    expect(most, `blocks at once when it is ${when}`).toBeGreaterThan(0);
    expect(most, `blocks at once when it is ${when}`).toBeLessThan(100);
  }
});

test("tool results are shown by what they are", async ({ page, scripted, model }) => {
  const rows = Array.from({ length: 250 }, (_, i) => ({ id: i, name: `Row ${i}`, price: i * 1.5 }));
  const tree = {
    items: [{ name: "a", tags: ["x", "y"] }],
    "odd key": { deep: { deeper: null } },
    many: rows.map((r) => r.id),
  };
  const results: Record<string, string> = {
    table: JSON.stringify(rows),
    tree: JSON.stringify(tree),
    diff: "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n",
  };
  model.posts = (body) => results[(JSON.parse(body) as { item: string }).item] ?? "plain text";
  model.script = ({ part, messages }) => {
    if (part === "orchestrator") {
      return messages.at(-1)?.role === "user"
        ? { calls: [{ name: "create_agent", args: { type: "general", instruction: "Fetch **it** all" } }] }
        : { pieces: ["Working."] };
    }
    if (part === "agent" && !messages.some((m) => m.role === "tool")) {
      return {
        calls: [
          ...["table", "tree", "diff"].map((item) => ({ name: "ship", args: { item } })),
          { name: "calculator", args: { expression: "6*7" } },
          { name: "calculator", args: { expression: "6/" } },
        ],
      };
    }
    return part === "agent"
      ? { calls: [{ name: "final_answer", args: { answer: "Done." } }] }
      : { pieces: ["Done."] };
  };
  await enter(page, scripted);
  await say(page, "Fetch it all");
  await inspect(page, "Fetch");
  const cards = inspector(page).locator("[data-call]");
  await expect(cards).toHaveCount(5);
  await expect(inspector(page).getByRole("region", { name: "Final answer" })).toBeVisible();
  for (const text of ["Output", "Error"]) {
    for (const fold of await cards.getByText(text, { exact: true }).all()) {
      await fold.click();
    }
  }
  const table = cards.locator("[data-shape=table]");
  await expect(table.getByRole("row")).toHaveCount(101);
  await table.getByRole("button", { name: "Show 100 more of 150" }).click();
  await expect(table.getByRole("row")).toHaveCount(201);
  await expect(cards.locator("[data-shape=diff] [data-line='+']").last()).toHaveText("+new");
  await expect(cards.locator("[data-shape=special]")).toHaveText("6*7 = 42");
  await expect(cards.locator("[data-shape=error]")).toContainText("expression");
  await shot(page, "tools-results");

  const value = cards.nth(1).locator("[data-shape=tree]").last();
  await value.scrollIntoViewIfNeeded();
  const many = value.getByRole("treeitem", { name: /^many/ });
  await value.getByRole("treeitem").first().focus();
  await page.keyboard.press("End");
  await expect(value.getByRole("treeitem", { name: "200 … 249" })).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await expect(many).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(value.getByRole("treeitem", { name: "0 … 99" })).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(value.getByRole("treeitem", { name: /^0: 0/ })).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await expect(many).toHaveAttribute("aria-expanded", "false");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await value.getByRole("treeitem", { name: /^odd key/ }).focus();
  await value.getByRole("button", { name: "Copy the path" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('$["odd key"]');
  await shot(page, "tools-tree");
  await value.getByRole("button", { name: "Show as it was" }).click();
  await expect(value.locator("pre")).toContainText('"odd key"');
  const saved = page.waitForEvent("download");
  await value.getByRole("button", { name: "Download" }).click();
  expect((await saved).suggestedFilename()).toBe("output.json");
});
