import type { Page } from "@playwright/test";
import { audit } from "./audit";
import { addUser, enter, expect, inspect, inspector, say, signIn, test, unauthorised } from "./fixtures";

const controls = [
  "button",
  "link",
  "textbox",
  "checkbox",
  "radio",
  "combobox",
  "tab",
  "img",
  "table",
] as const;

test("every control has a name, and every page its landmarks", async ({ page, demo }) => {
  await enter(page, demo);
  await expect(page.getByText("demo model", { exact: true })).toBeVisible();
  await named(page);
  await page.getByRole("button", { name: /asks you a question/ }).click();
  await page.locator("[data-task] a").click();
  await expect(inspector(page).getByRole("region", { name: "Question" })).toBeVisible();
  await expect(page.getByRole("log", { name: "Conversation" })).toBeVisible();
  await named(page);
  for (const tab of ["Runs", "Jobs", "Triggers", "Models", "Tools", "Usage", "Metrics", "Keys", "Users"]) {
    await page.goto(`${demo.url}/operations/${tab.toLowerCase()}`);
    await expect(page.getByRole("link", { name: tab, exact: true })).toHaveAttribute("aria-current", "page");
    await expect(page.getByRole("main").getByText("Loading…")).toHaveCount(0);
    for (const fold of await page.locator("main summary").all()) {
      await fold.click();
    }
    await named(page);
  }
  await page.goto(`${demo.url}/priorities/outcome`);
  await expect(page.getByRole("button", { name: "Save" })).toBeVisible();
  await named(page);
  await page.goto(`${demo.url}/documents`);
  await page.getByRole("button", { name: "New" }).click();
  await expect(page.getByRole("textbox", { name: "Text" })).toBeVisible();
  await named(page);
  await page.goto(`${demo.url}/graphs`);
  await expect(page.getByRole("button", { name: "Use Chat answer" })).toBeVisible();
  await named(page);
  await page.getByRole("button", { name: "Use Chat answer" }).click();
  await page.getByRole("group", { name: /^answer, / }).click();
  await page.getByRole("button", { name: "Add a node" }).click();
  for (const tab of ["Node", "Run", "History"]) {
    await page.getByRole("tab", { name: tab, exact: true }).click();
    await named(page);
  }
});

/** What a canvas draws on is no picture. */
const surfaces = "svg[class^=react-flow], .react-flow__edges > svg, .react-flow__controls svg";

async function named(page: Page): Promise<void> {
  for (const role of controls) {
    const nameless = page.getByRole(role, { name: /^$/ }).and(page.locator(`:not(${surfaces})`));
    await expect(nameless, `a ${role} without a name`).toHaveCount(0);
  }
  await expect(page.getByRole("main")).toHaveCount(1);
  await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
  await expect(page.getByRole("navigation", { name: "Chats" })).toBeVisible();
}

test.describe("nothing on a page is in anybody's way", () => {
  test.setTimeout(300_000);

  test("the first page, a chat with its agents, and the inspector", async ({ page, demo }) => {
    await enter(page, demo);
    await expect(page.getByText("demo model", { exact: true })).toBeVisible();
    await audit(page, "first page");
    await page.getByRole("button", { name: /asks you a question/ }).click();
    await expect(page.locator("[data-task][data-status=waiting]")).toBeVisible();
    await audit(page, "a question");
    await inspect(page, "Book a table for two.");
    await audit(page, "inspector, question");
    await inspector(page).getByRole("tab", { name: "timeline" }).click();
    await audit(page, "inspector, timeline");
  });

  test("an answer with everything in it, and tool results", async ({ page, scripted, model }) => {
    model.script = ({ part, messages }) => {
      if (part === "agent") {
        return messages.some((m) => m.role === "tool")
          ? { calls: [{ name: "final_answer", args: { answer: "It is **done**." } }] }
          : {
              reasoning: "I should look.",
              calls: [
                { name: "ship", args: { item: "a" } },
                { name: "calculator", args: { expression: "6/" } },
                { name: "order", args: { item: "b" } },
              ],
            };
      }
      return part === "orchestrator" && messages.at(-1)?.role === "user"
        ? {
            pieces: [everything],
            calls: [{ name: "create_agent", args: { type: "general", instruction: "Ship it" } }],
          }
        : { pieces: ["Done."] };
    };
    model.posts = () => '[{"name": "a", "price": 1}]';
    await enter(page, scripted);
    await say(page, "Everything");
    await expect(page.locator("[data-formula=drawn]")).toHaveCount(4);
    await expect(page.locator("[data-diagram=drawn]")).toHaveCount(1);
    await audit(page, "an answer");
    await inspect(page, "Ship it");
    await expect(inspector(page).locator("[data-call]")).toHaveCount(3);
    for (const fold of await inspector(page).locator("[data-call] summary").all()) {
      await fold.click();
    }
    await audit(page, "tool calls");
  });

  test("a run, a link to it, the palette and the keys", async ({ page, demo }) => {
    await enter(page, demo);
    await say(page, "Compute 6*7");
    await page
      .getByRole("link", { name: /1 agent/ })
      .last()
      .click();
    await expect(page.getByRole("tree", { name: "What happened in the run" })).toBeVisible();
    await audit(page, "a run");
    await page.getByRole("treeitem").nth(2).click();
    await expect(page.getByRole("complementary", { name: "Step" })).toBeVisible();
    await audit(page, "a step");
    await page.getByRole("button", { name: "Share" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await audit(page, "sharing");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await expect(page.getByRole("dialog", { name: "Go to anything" })).toBeVisible();
    await audit(page, "the palette");
    await page.goto(`${demo.url}/operations`);
    await expect(page.getByRole("link", { name: "Compute 6*7", exact: true })).toBeVisible();
    await audit(page, "operations, Runs");
    await page.keyboard.press("?");
    await expect(page.getByRole("dialog")).toBeVisible();
    await audit(page, "keys");
  });

  test("operations", async ({ page, demo }) => {
    await enter(page, demo);
    const tabs = ["Jobs", "Triggers", "Models", "Tools", "Usage", "Metrics", "Keys", "Users"];
    for (const tab of tabs) {
      await page.goto(`${demo.url}/operations/${tab.toLowerCase()}`);
      await expect(page.getByRole("link", { name: tab, exact: true })).toHaveAttribute(
        "aria-current",
        "page",
      );
      await expect(page.getByRole("main").getByText("Loading…")).toHaveCount(0);
      await audit(page, `operations, ${tab}`);
    }
  });

  test("documents, priorities and graphs", async ({ page, demo }) => {
    await enter(page, demo, "/documents");
    await page.getByRole("button", { name: "New" }).click();
    await page.getByRole("textbox", { name: "Text" }).fill("# A title\n\nSome text.");
    await audit(page, "a document");
    await page.goto(`${demo.url}/documents`);
    await expect(page.getByRole("heading", { name: "Documents" })).toBeVisible();
    await audit(page, "documents");
    await page.goto(`${demo.url}/priorities`);
    await expect(page.getByRole("heading", { name: "Priorities" })).toBeVisible();
    await audit(page, "priorities");
    await page.goto(`${demo.url}/priorities/outcome`);
    await expect(page.getByRole("button", { name: "Save" })).toBeVisible();
    await audit(page, "outcome");
    await page.goto(`${demo.url}/graphs`);
    await page.getByRole("button", { name: "Use Chat answer" }).waitFor();
    await audit(page, "graphs");
    await page.getByRole("button", { name: "Use Chat answer" }).click();
    await page.getByRole("group", { name: /^answer, / }).click();
    await audit(page, "a graph");
  });

  test.describe("to somebody who is not known yet", () => {
    test.use({ provoked: unauthorised });
    test("the page to sign in", async ({ page, demo }) => {
      await addUser(demo, "ann");
      await page.goto(demo.url);
      await page.getByLabel("Name or e-mail").waitFor();
      await audit(page, "sign in");
      await signIn(page, "ann");
      await expect(page.getByRole("heading", { name: "What would you like to get done?" })).toBeVisible();
    });
  });
});

const everything = [
  "# A heading",
  "Text with `code`, a [link](https://example.org), $x^2$ and \\(y\\).[^1]",
  "$$\\frac{1}{2}$$",
  "\\[\\vec{v}\\]",
  "```python\n# a comment\ndef f(x: int) -> str:\n    return f\"{x}\" + 'text' # and so on\n```",
  "```diff\n- old\n+ new\n```",
  "```mermaid\nflowchart LR\n  A --> B\n```",
  "- [x] done\n- [ ] open",
  "| a | b |\n|---|---|\n| 1 | 2 |",
  "> quoted",
  "[^1]: A note.",
].join("\n\n");

test("a conversation goes by keyboard alone", async ({ page, demo }) => {
  await enter(page, demo);
  await expect(page.getByRole("textbox", { name: "Message" })).toBeFocused();
  await page.keyboard.type("Book a table for two.");
  await page.keyboard.press("Enter");
  await expect(page.locator("[data-task][data-status=waiting]")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Message" })).toBeFocused();
  await tabTo(page, "Look inside General: Book a table for two.", "Shift+Tab");
  await page.keyboard.press("Enter");
  await expect(inspector(page).getByRole("region", { name: "Question" })).toBeVisible();
  await tabTo(page, "Close the inspector", "Shift+Tab"); // the focus is in the field for the answer
  await page.keyboard.press("Enter");
  await expect(inspector(page)).toHaveCount(0);
  await say(page, "Friday at seven.");
  await expect(page.locator("[data-task][data-status=success]")).toBeVisible();
});

/** Moves the focus until it is on what has that name. */
async function tabTo(page: Page, name: string, key = "Tab"): Promise<void> {
  for (let i = 0; i < 30; i++) {
    await page.keyboard.press(key);
    if ((await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))) === name) {
      return;
    }
  }
  throw new Error(`${name} cannot be reached with ${key}`);
}
