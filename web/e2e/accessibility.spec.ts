import type { Page } from "@playwright/test";
import { enter, expect, inspector, say, test } from "./fixtures";

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
  await expect(page.getByText("demo model")).toBeVisible();
  await named(page);
  await page.getByRole("button", { name: /asks you a question/ }).click();
  await page.locator("[data-task] a").click();
  await expect(inspector(page).getByRole("region", { name: "Question" })).toBeVisible();
  await expect(page.getByRole("log", { name: "Conversation" })).toBeVisible();
  await named(page);
  for (const tab of ["Jobs", "Triggers", "Models", "Tools", "Usage", "Metrics", "Keys", "Users"]) {
    await page.goto(`${demo.url}/operations/${tab.toLowerCase()}`);
    await expect(page.getByRole("link", { name: tab, exact: true })).toHaveAttribute("aria-current", "page");
    await page.waitForLoadState("load");
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
  await tabTo(page, "Close the inspector");
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
