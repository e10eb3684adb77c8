import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { enter, expect, inspector, shot, test } from "./fixtures";
import type { Nestor } from "./nestor";

interface Version {
  id: string;
  firstId: string;
  content: string;
}

const at = "/records/text_documents";
const create = (nestor: Nestor, title: string, content: string) =>
  nestor.api<Version>("POST", at, { title, content });
const saveNext = (nestor: Nestor, id: string, content: string) =>
  nestor.api<Version>("POST", `${at}/${id}/versions`, { content });

const row = (page: Page, title: string) =>
  page.getByRole("list", { name: "Documents" }).getByRole("link", { name: title });
const text = (page: Page) => page.getByRole("textbox", { name: "Text" });
const title = (page: Page) => page.getByRole("textbox", { name: "Title" });
const tab = (page: Page, name: string | RegExp) => page.getByRole("tab", { name });
const version = (page: Page, n: number) =>
  page.getByRole("list", { name: "Versions" }).getByRole("listitem", { name: `Version ${n}`, exact: true });
const unsaved = (page: Page) => page.getByText("Unsaved changes", { exact: true });
const meanwhile = (page: Page) => page.getByRole("region", { name: "Saved meanwhile" });

test.use({ provoked: /status of 404/ }); // of what was deleted while the page asks for it

test("a document is written, looked at, compared, restored, exported and deleted", async ({ page, demo }) => {
  await create(demo, "Letter", "Dear Ada");
  await enter(page, demo);
  await page.getByRole("link", { name: "Documents" }).click();
  await expect(row(page, "Letter")).toBeVisible();
  await page.getByRole("button", { name: "New" }).click();
  await title(page).fill("Bees");
  await text(page).click();
  await page.keyboard.type("# Bees\n\n- honey\nwax\n");
  await page.keyboard.press("Tab");
  await page.keyboard.type("candles\n\n");
  await page.keyboard.press("Enter");
  await page.keyboard.type("They **dance**.");
  await expect(text(page)).toHaveValue(
    "# Bees\n\n- honey\n- wax\n  - candles\n  \nThey **dance**.".replace("  \n", "\n"),
  );
  await page.keyboard.press("Control+z"); // what Tab and Enter do can be undone, too
  await page.keyboard.press("Control+Shift+z");
  await expect(unsaved(page)).toBeVisible();
  await page.keyboard.press("Control+s");
  await expect(page.getByRole("status").filter({ hasText: "Version 2 · " })).toContainText("You");
  await expect(page.getByRole("list", { name: "Documents" }).getByRole("link").first()).toContainText("Bees");
  await shot(page, "documents-write");

  await page.keyboard.press("Escape"); // Tab leaves the text after it
  await page.keyboard.press("Tab");
  await expect(text(page)).not.toBeFocused();
  await tab(page, "Preview").click();
  await expect(page.getByRole("article").locator("strong")).toHaveText("dance");
  await shot(page, "documents-preview");

  await tab(page, "Write").click();
  await text(page).fill("# Bees\n\n- honey\n- wax\n\nThey sleep.");
  await page.getByRole("button", { name: "Save" }).click();
  await tab(page, "Versions (3)").click();
  const changes = page.getByRole("region", { name: "From version 2 to version 3" });
  await expect(changes.locator('[data-line="+"]')).toHaveText(["+They sleep."]);
  await expect(changes.locator('[data-line="-"]')).toHaveText(["-  - candles", "-They **dance**."]);
  await shot(page, "documents-versions");
  await page.getByLabel("From", { exact: true }).selectOption({ label: "Version 1" });
  await expect(page.getByRole("region", { name: "From version 1 to version 3" })).toContainText("+# Bees");
  await expect(page.getByText("The title changed from Untitled to Bees.")).toBeVisible();
  await version(page, 2).getByRole("button", { name: "Version 2", exact: true }).click();
  await page.getByText("Text", { exact: true }).click();
  await expect(page.getByRole("article").locator("strong")).toHaveText("dance");
  await page.getByRole("button", { name: "Restore version 2" }).click();
  await expect(version(page, 4)).toContainText("newest");
  await tab(page, "Write").click();
  await expect(text(page)).toHaveValue(/They \*\*dance\*\*\.$/);

  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export as Markdown" }).click();
  const file = await (await saved).path();
  expect((await saved).suggestedFilename()).toBe("Bees.md");
  expect(readFileSync(file, "utf8")).toBe(await text(page).inputValue());
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete with all versions?" }).click();
  await expect(page.getByText("Choose a document, or make one.")).toBeVisible();
  await expect(row(page, "Bees")).toHaveCount(0);
  await page.getByLabel("Files to import").setInputFiles(file);
  await expect(title(page)).toHaveValue("Bees");
  await page.getByLabel("Search documents").fill("dear");
  await expect(row(page, "Bees")).toHaveCount(0);
  await expect(row(page, "Letter")).toBeVisible();
});

test.describe("who saves late", () => {
  test.use({ provoked: /status of 4(04|09)/ });

  test("loses nothing, not by a reload, a crash or another's version", async ({ page, context, demo }) => {
    const first = await create(demo, "Plan", "one\ntwo\n");
    await enter(page, demo, `/documents/${first.id}`);
    await text(page).fill("one\ntwo\nmine\n");
    await page.reload();
    await expect(text(page)).toHaveValue("one\ntwo\nmine\n");
    await expect(unsaved(page)).toBeVisible();
    const crashed = page.waitForEvent("crash");
    const session = await context.newCDPSession(page);
    session.send("Page.crash").catch(() => {});
    await crashed;
    const next = await context.newPage();
    // Another version comes while this one is on its way. A page that is there already may not heed a route.
    let second: Version | undefined;
    await next.route(
      "**/versions",
      async (route) => {
        second = await saveNext(demo, first.id, "ONE\ntwo\n");
        await route.continue();
      },
      { times: 1 },
    );
    await next.goto(`${demo.url}/documents/${first.id}`);
    await expect(text(next)).toHaveValue("one\ntwo\nmine\n");

    await next.keyboard.press("Control+s");
    await expect(meanwhile(next)).toContainText("You saved version 2 while you were writing");
    await expect(text(next)).toHaveValue("one\ntwo\nmine\n");
    await meanwhile(next).getByRole("button", { name: "Compare" }).click();
    const theirs = next.getByRole("region", { name: "What changed meanwhile" });
    await expect(theirs.locator('[data-line="+"]')).toHaveText(["+ONE"]);
    const onTop = next.getByRole("region", { name: "What saving on top does" });
    await expect(onTop.locator('[data-line="+"]')).toHaveText(["+one", "+mine"]);
    await shot(next, "documents-late");
    await next.getByRole("button", { name: "Save mine on top" }).click();
    await expect(meanwhile(next)).toHaveCount(0);
    await expect(unsaved(next)).toHaveCount(0);
    const history = await demo.api<{ items: Version[] }>("GET", `${at}/${first.id}/versions`);
    expect(history.items.map((v) => v.content)).toEqual(["one\ntwo\n", "ONE\ntwo\n", "one\ntwo\nmine\n"]);
    expect(history.items[1]?.id).toBe(second?.id);

    // What somebody deletes can still be kept.
    await text(next).fill("kept");
    await demo.api("DELETE", `${at}/${history.items[2]?.id}`);
    await next.getByRole("button", { name: "Save as a new document" }).click();
    await expect(text(next)).toHaveValue("kept");
    await expect(unsaved(next)).toHaveCount(0);
  });
});

test.describe("two tabs", () => {
  test.use({ provoked: /status of 409/ });

  test("write one document, and nothing typed vanishes", async ({ page, context, demo }) => {
    const first = await create(demo, "Plan", "one\n");
    await enter(page, demo, `/documents/${first.id}`);
    const other = await context.newPage();
    await other.goto(`${demo.url}/documents/${first.id}`);
    await expect(text(other)).toHaveValue("one\n");
    await text(page).fill("one\nof the first tab\n");
    await text(other).fill("one\nof the second tab\n");
    await page.reload();
    await other.reload();
    await expect(text(page)).toHaveValue("one\nof the first tab\n");
    await expect(text(other)).toHaveValue("one\nof the second tab\n");

    // One saves: the other is told, and keeps its own, also over a reload.
    await page.keyboard.press("Control+s");
    await expect(unsaved(page)).toHaveCount(0);
    await expect(meanwhile(other)).toBeVisible();
    await other.reload();
    await expect(text(other)).toHaveValue("one\nof the second tab\n");
    await expect(meanwhile(other)).toBeVisible();

    // What a tab leaves behind is found by the next one, and gone when that has saved it.
    await other.close();
    const third = await context.newPage();
    await third.goto(`${demo.url}/documents/${first.id}`);
    await expect(text(third)).toHaveValue("one\nof the second tab\n");
    await third.getByRole("button", { name: "Save mine on top" }).click();
    await expect(unsaved(third)).toHaveCount(0);
    const fourth = await context.newPage();
    await fourth.goto(`${demo.url}/documents/${first.id}`);
    await expect(text(fourth)).toHaveValue("one\nof the second tab\n");
    await expect(unsaved(fourth)).toHaveCount(0);
  });
});

test("what an agent writes appears at once, and both lead to each other", async ({ page, demo }) => {
  await enter(page, demo, "/documents");
  await expect(page.getByText("Your documents will be here.")).toBeVisible();
  const ask = async (chat: string, content: string) => {
    await demo.api("POST", "/chats", { id: chat });
    await demo.api("POST", `/chats/${chat}/messages`, { content });
  };
  await ask("c1", "Write a document about bees: They make honey.");
  await row(page, "Bees").click();
  await expect(text(page)).toHaveValue("# Bees\n\nThey make honey.\n");
  await expect(page.getByRole("link", { name: "Agent General", exact: true })).toBeVisible();

  // Without changes of one's own the new version is shown, with them it waits.
  await ask("c2", "Add wax to the document Bees");
  await expect(text(page)).toHaveValue("# Bees\n\nThey make honey.\n\nWax\n");
  await text(page).fill("# Bees\n\nMine.\n");
  await ask("c3", "Add pollen to the document Bees");
  await expect(meanwhile(page)).toContainText("Agent General saved version 3 while you were writing");
  await expect(text(page)).toHaveValue("# Bees\n\nMine.\n");
  await meanwhile(page).getByRole("button", { name: "Take theirs" }).click();
  await meanwhile(page).getByRole("button", { name: "Discard my text?" }).click();
  await expect(text(page)).toHaveValue(/Pollen\n$/);

  await tab(page, "Versions (3)").click();
  await version(page, 1).getByRole("link", { name: "Agent General", exact: true }).click();
  await expect(page).toHaveURL(/\/chats\/c1\/agents\//);
  await inspector(page).getByRole("link", { name: "Document Bees, version 1" }).click();
  await expect(text(page)).toHaveValue(/Pollen\n$/);
  await page.goto(`${demo.url}/chats/c1`);
  await page.getByRole("log").getByRole("link", { name: "Bees", exact: true }).last().click();
  await expect(title(page)).toHaveValue("Bees");
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test("list and document take turns", async ({ page, demo }) => {
    const plan = await create(demo, "Plan", "# Plan\n\n- buy *honey*\n");
    await saveNext(
      demo,
      plan.id,
      "# Plan\n\n- sell *honey*, which takes a line that is too long for a phone\n",
    );
    await enter(page, demo, "/documents");
    await shot(page, "documents-phone-list");
    await row(page, "Plan").click();
    await expect(text(page)).toBeVisible();
    await shot(page, "documents-phone-write");
    await tab(page, /Versions/).click();
    await expect(page.locator('[data-line="+"]')).toBeVisible();
    await shot(page, "documents-phone-versions");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(390);
    await page.getByRole("link", { name: "All documents" }).click();
    await expect(row(page, "Plan")).toBeVisible();
  });
});
