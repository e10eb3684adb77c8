import type { Page } from "@playwright/test";
import { oneAgent } from "./agents";
import { enter, expect, inspect, inspector, say, test } from "./fixtures";
import { gate } from "./model";

/**
 * How much of the page moved by itself since it was loaded, as browsers measure it: 0.1 counts as good. They leave out
 * half a second after an input, which on a busy machine is too short to show what the input asked for.
 */
const shifted = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const seen = new PerformanceObserver(() => {});
    seen.observe({ type: "layout-shift", buffered: true });
    const shifts = seen.takeRecords() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[];
    return shifts.filter((s) => !s.hadRecentInput).reduce((sum, s) => sum + s.value, 0);
  });

test("nothing jumps while pages load and agents work", { tag: "@timing" }, async ({
  page,
  scripted,
  model,
}) => {
  const measured: Record<string, number> = {};
  await enter(page, scripted);
  await expect(page.getByRole("combobox", { name: "Model" })).toContainText("scripted");
  measured.first = await shifted(page);

  const rest = gate();
  oneAgent(model, "Compute", () => ({
    pieces: ["Thinking", rest.opened, " of it."],
    calls: [{ name: "final_answer", args: { answer: "It is 42." } }],
  }));
  await say(page, "Compute it");
  await expect(page.locator("[data-task][data-status=running]")).toBeVisible();
  await expect(page.getByRole("heading", { name: "A scripted chat" })).toBeVisible();
  const asked = await shifted(page); // what the input asked for is shown
  rest.open();
  await expect(page.getByText("It is 42.")).toBeVisible();
  measured.chat = (await shifted(page)) - asked;
  await page.reload();
  await expect(page.getByText("It is 42.")).toBeVisible();
  measured.reload = await shifted(page);
  await inspect(page, "Compute");
  await page.reload();
  await expect(inspector(page).getByRole("region", { name: "Final answer" })).toBeVisible();
  measured.inspector = await shifted(page);
  for (const tab of ["triggers", "models", "tools", "usage", "keys", "users"]) {
    await page.goto(`${scripted.url}/operations/${tab}`);
    await expect(page.locator("main").locator("table, section, p").first()).toBeVisible();
    await expect(page.getByRole("main").getByText("Loading…")).toHaveCount(0);
    measured[tab] = await shifted(page);
  }
  await page.goto(`${scripted.url}/priorities`);
  await expect(page.getByRole("button", { name: "Analyse" })).toBeVisible();
  measured.priorities = await shifted(page);
  console.log(`layout shifts: ${JSON.stringify(measured)}`);
  for (const [name, value] of Object.entries(measured)) {
    expect(value, name).toBeLessThan(0.1);
  }

  await page.evaluate(async () => {
    const pushing = document.createElement("div");
    pushing.style.height = "200px";
    document.body.prepend(pushing);
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  });
  await expect.poll(() => shifted(page), "a page that jumps is noticed").toBeGreaterThan(0.1);
});
