import type { Page } from "@playwright/test";
import { enter, expect, inspect, inspector, say, test } from "./fixtures";

/** How much of the page moved by itself since it was loaded, as browsers measure it: 0.1 counts as good. */
const shifted = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const seen = new PerformanceObserver(() => {});
    seen.observe({ type: "layout-shift", buffered: true });
    const shifts = seen.takeRecords() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[];
    return shifts.filter((s) => !s.hadRecentInput).reduce((sum, s) => sum + s.value, 0);
  });

test("nothing jumps while pages load and agents work", async ({ page, demo }) => {
  const measured: Record<string, number> = {};
  await enter(page, demo);
  await expect(page.getByText("demo model", { exact: true })).toBeVisible();
  measured.first = await shifted(page);
  await say(page, "What is 15% of 80, and what time is it in Tokyo?");
  await expect(page.getByText("With that, all 2 parts are done.")).toBeVisible();
  measured.chat = await shifted(page);
  await page.reload();
  await expect(page.getByText("With that, all 2 parts are done.")).toBeVisible();
  measured.reload = await shifted(page);
  await inspect(page, "What is 15% of 80");
  await page.reload();
  await expect(inspector(page).getByRole("region", { name: "Final answer" })).toBeVisible();
  measured.inspector = await shifted(page);
  for (const tab of ["triggers", "models", "tools", "usage", "keys", "users"]) {
    await page.goto(`${demo.url}/operations/${tab}`);
    await expect(page.locator("main").locator("table, section, p").first()).toBeVisible();
    measured[tab] = await shifted(page);
  }
  await page.goto(`${demo.url}/priorities`);
  await expect(page.getByRole("button", { name: "Analyse" })).toBeVisible();
  measured.priorities = await shifted(page);
  console.log(`layout shifts: ${JSON.stringify(measured)}`);
  for (const [name, value] of Object.entries(measured)) {
    expect(value, name).toBeLessThan(0.1);
  }
});
