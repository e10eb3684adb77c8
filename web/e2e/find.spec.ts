import type { Page } from "@playwright/test";
import { enter, expect, say, shot, test } from "./fixtures";
import type { Nestor } from "./nestor";

const palette = (page: Page) => page.getByRole("dialog", { name: "Go to anything" });
const field = (page: Page) => page.getByRole("combobox", { name: "Go to anything" });
const options = (page: Page) => palette(page).getByRole("option");
const chosen = (page: Page) => palette(page).getByRole("option", { selected: true });
const bar = (page: Page) => page.getByRole("search", { name: "Find in this chat" });

/** A chat in which much was said. */
async function fill(nestor: Nestor, chatId: string, title: string, texts: readonly string[]): Promise<void> {
  await nestor.api("POST", "/chats", { id: chatId, title });
  const rows = texts.map((content, i) => ({
    newDocumentState: {
      id: `${chatId}-m${i}`,
      userId: "local",
      chatId,
      role: "assistant",
      type: "text",
      content,
      _deleted: false,
    },
  }));
  expect(await nestor.api("POST", "/replication/messages/push", rows)).toEqual([]);
}

test("the palette goes anywhere by a few letters, and finds what was said", async ({ page, demo }) => {
  const many = Array.from({ length: 300 }, (_, i) =>
    i === 20 ? "The Größte treasure lies here" : `Line ${i}`,
  );
  await fill(demo, "pirates", "Pirates", many);
  await fill(demo, "cooking", "Cooking for two", ["Salt"]);
  await demo.api("POST", "/records/text_documents", { title: "Recipes", type: "markdown", content: "x" });
  await enter(page, demo, "/chats/cooking");
  await expect(page.getByText("Salt")).toBeVisible();
  await page.getByRole("textbox", { name: "Message" }).focus();
  await page.keyboard.press("Control+k");
  await expect(field(page)).toBeFocused();
  await expect(options(page).first()).toContainText("New chat");
  await shot(page, "palette");

  await page.keyboard.type("coo two");
  await expect(chosen(page)).toContainText("Cooking for two");
  await field(page).fill("recip");
  await expect(chosen(page)).toContainText("Recipes");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/documents\//);
  await expect(palette(page)).toBeHidden();

  await page.keyboard.press("Control+k");
  await page.keyboard.type("größte TREASURE");
  const hit = options(page).filter({ hasText: "treasure lies here" });
  await expect(hit).toBeVisible();
  await expect(hit.locator("mark")).toHaveText(["Größte", "treasure"]);
  await shot(page, "palette-said");
  await expect(chosen(page)).toHaveCount(1);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/chats\/pirates#pirates-m20$/);
  await expect(page.getByText("The Größte treasure lies here")).toBeInViewport();
  await expect(page.locator("[data-found]")).toContainText("treasure");

  await page.keyboard.press("Control+k");
  await page.keyboard.type("nobody said this");
  await expect(palette(page).getByRole("status")).toHaveText(/Nothing|Nobody/);
  await page.keyboard.press("Escape");
  await expect(palette(page)).toBeHidden();
});

test("the focus comes back when what is on top is closed", async ({ page, demo }) => {
  await enter(page, demo);
  const message = page.getByRole("textbox", { name: "Message" });
  await expect(message).toBeFocused();
  await page.keyboard.press("Control+k");
  await expect(field(page)).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(message).toBeFocused();

  // While somebody types, signs are signs.
  await page.keyboard.type("/?");
  await expect(message).toHaveValue("/?");
  await message.fill("");
  await page.getByRole("link", { name: "Operations" }).focus();
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keys" });
  await expect(help).toContainText("Go to anything, or search");
  await expect(help.locator("kbd").first()).toHaveText("Ctrl+K");
  await shot(page, "keys");
  await page.keyboard.press("Escape");
  await expect(help).toBeHidden();
  await expect(page.getByRole("link", { name: "Operations" })).toBeFocused();
  await page.keyboard.press("/");
  await expect(message).toBeFocused();
  await expect(message).toHaveValue("");
});

test("a text is found in a long chat, wherever it is", async ({ page, demo }) => {
  const texts = Array.from({ length: 400 }, (_, i) =>
    i % 100 === 7 ? `A **needle** in line ${i}` : `Hay ${i}`,
  );
  await fill(demo, "hay", "Hay", texts);
  await enter(page, demo, "/chats/hay");
  await expect(page.getByText("Hay 399")).toBeVisible();
  await page.keyboard.press("Control+f");
  await expect(bar(page).getByRole("textbox")).toBeFocused();
  await page.keyboard.type("NEEDLE");
  await expect(bar(page).getByRole("status")).toHaveText("4 of 4");
  await expect(page.getByText("in line 307")).toBeInViewport();
  const painted = () =>
    page.evaluate(() => [...(CSS.highlights.get("find-current") ?? [])].map((r) => String(r)));
  await expect.poll(painted).toEqual(["needle"]);
  await shot(page, "find-in-chat");
  await bar(page).getByRole("button", { name: "Previous" }).click();
  await expect(bar(page).getByRole("status")).toHaveText("3 of 4");
  await expect(page.getByText("in line 207")).toBeInViewport();
  await bar(page).getByRole("textbox").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await expect(bar(page).getByRole("status")).toHaveText("1 of 4");
  await expect(
    page.getByText("in line 7", { exact: true }).or(page.getByText("needle in line 7")),
  ).toBeInViewport();
  await bar(page).getByRole("button", { name: "Next" }).click();
  await expect(bar(page).getByRole("status")).toHaveText("2 of 4");
  await bar(page).getByRole("textbox").fill("nowhere");
  await expect(bar(page).getByRole("status")).toHaveText("Not found");
  await page.keyboard.press("Escape");
  await expect(bar(page)).toBeHidden();
  await page.getByRole("button", { name: "Find in this chat" }).click();
  await expect(bar(page).getByRole("textbox")).toBeFocused();
});

test("on a phone the palette has the width of the screen", async ({ browser, demo }) => {
  await fill(demo, "c", "A chat", ["Something that was said"]);
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const page = await context.newPage();
  await enter(page, demo);
  await page.getByRole("button", { name: "Open the menu" }).tap();
  await page.getByRole("button", { name: /^Search/ }).tap();
  await field(page).fill("something");
  const { x = -1, width = 0 } = (await palette(page).boundingBox()) ?? {};
  expect(width).toBeGreaterThan(340);
  expect(x).toBeGreaterThanOrEqual(0);
  expect(x + width).toBeLessThanOrEqual(390);
  await expect(options(page).filter({ hasText: "that was said" })).toBeVisible();
  await shot(page, "palette-phone");
  await options(page).filter({ hasText: "that was said" }).tap();
  await expect(page).toHaveURL(/\/chats\/c#c-m0/);
  await context.close();
});

test("the palette acts: another theme, stop, a new chat", async ({ page, scripted, model }) => {
  let answer = () => {};
  model.script = ({ part }) =>
    part === "writer"
      ? { pieces: ["Title"] }
      : { pieces: ["Half", new Promise<void>((resolve) => (answer = resolve))] };
  await enter(page, scripted);
  await say(page, "Begin");
  await expect(page.getByText("Half")).toBeVisible();
  await page.keyboard.press("Control+k");
  await expect(palette(page)).toBeVisible();
  await page.keyboard.type("stop every");
  await expect(chosen(page)).toContainText("Stop everything in this chat");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Stop" })).toBeHidden();
  answer();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("light theme");
  await page.keyboard.press("Enter");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  await expect(page.getByRole("button", { name: /Theme: light/ })).toBeVisible();
  await page.keyboard.press("Control+Shift+o");
  await expect(page).toHaveURL(/\/new/);
});
