import type { Page } from "@playwright/test";
import { enter, expect, inspect, inspector, say, test } from "../e2e/fixtures";

const picture = (page: Page, name: string) => page.screenshot({ path: `../docs/images/${name}.png` });

test("first page", async ({ page, demo }) => {
  await enter(page, demo);
  await expect(page.getByText("demo model")).toBeVisible();
  await picture(page, "first-run");
});

test("agents at work, light", async ({ page, demo }) => {
  await enter(page, demo);
  await say(page, "What is 15% of 80, and what time is it in Tokyo?");
  await expect(page.getByText("With that, all 2 parts are done.")).toBeVisible();
  await inspect(page, "What is 15% of 80");
  await expect(inspector(page).getByRole("region", { name: "Final answer" })).toBeVisible();
  await picture(page, "inspector");
});

test("an agent asks, dark", async ({ page, demo }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await enter(page, demo);
  await say(page, "Book a table for two.");
  await expect(page.locator("[data-task][data-status=waiting]")).toBeVisible();
  await inspect(page, "Book a table for two.");
  await expect(page.getByText("The agent needs to know")).toBeVisible();
  await picture(page, "question");
});
