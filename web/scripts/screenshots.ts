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

test("a plan in waves", async ({ page, demo }) => {
  await demo.api("POST", "/outcomes", {
    direction: "launch",
    object: "the new shop",
    metric: "first orders",
    clarifier: "before June",
    daily_capacity_hours: 12,
  });
  await demo.api("POST", "/documents", {
    title: "Launch plan",
    content: `- [ ] Design the landing page (4h)
- [ ] Write the copy (2h)
- [ ] Build the landing page after the design (8h)
- [ ] Test the checkout (3h)
- [ ] Deploy the shop once the checkout is tested (2h)
- [ ] Announce the shop on the blog after the tests (1h)
`,
  });
  await enter(page, demo, "/priorities");
  await expect(page.getByRole("list", { name: "Documents" })).toContainText("6 tasks");
  await page.getByRole("button", { name: "Analyse" }).click();
  await expect(page.getByRole("region", { name: "Wave 2", exact: true })).toContainText(
    "Build the landing page",
  );
  const card = page.locator("[data-card]", { hasText: "Build the landing page" });
  await card.scrollIntoViewIfNeeded();
  await card.hover();
  await picture(page, "priorities");
});
