import type { Page } from "@playwright/test";
import { enter, expect, inspect, inspector, say, test } from "../e2e/fixtures";

const picture = (page: Page, name: string) => page.screenshot({ path: `../docs/images/${name}.png` });

test("first page", async ({ page, demo }) => {
  await enter(page, demo);
  await expect(page.getByText("demo model", { exact: true })).toBeVisible();
  await picture(page, "first-run");
});

test("agents at work, light", async ({ page, demo }) => {
  await enter(page, demo);
  await say(page, "What is 15% of 80, and what time is it in Tokyo?");
  await expect(page.getByText("With that, all 2 parts are done.")).toBeVisible();
  await page.getByRole("button", { name: "2 of 2 done" }).click();
  await page.getByRole("button", { name: "General: What is 15% of 80" }).click();
  await inspect(page, "What is 15% of 80");
  await expect(inspector(page).getByRole("region", { name: "Final answer" })).toBeVisible();
  await picture(page, "inspector");
});

test("what happened in a run", async ({ page, demo }) => {
  await enter(page, demo);
  await say(page, "Research Go, Rust and Zig.");
  await expect(page.getByText("With that, all 3 parts are done.")).toBeVisible();
  await page
    .getByRole("link", { name: /3 agents/ })
    .last()
    .click();
  await expect(page.getByRole("treeitem").nth(12)).toBeVisible();
  await picture(page, "run");
});

test("an agent asks, dark", async ({ page, demo }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await enter(page, demo);
  await say(page, "Book a table for two.");
  await expect(page.locator("[data-task][data-status=waiting]")).toBeVisible();
  await inspect(page, "Book a table for two.");
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

test("a document that an agent and a person write", async ({ page, demo }) => {
  const letter = { title: "Letter to the keeper", content: "Dear Ada,\n\nthe hives are full." };
  await demo.api("POST", "/records/text_documents", letter);
  await demo.api("POST", "/chats", { id: "bees" });
  await demo.api("POST", "/chats/bees/messages", {
    content: "Write a document about bees: They make honey, and they dance.",
  });
  await enter(page, demo, "/documents");
  await page.getByRole("main").getByRole("link", { name: "Bees" }).click();
  await page
    .getByRole("textbox", { name: "Text" })
    .fill("# Bees\n\nThey make honey and wax.\n\n- They dance to tell the way.\n- They sleep at night.\n");
  await page.keyboard.press("Control+s");
  await page.getByRole("tab", { name: "Versions (2)" }).click();
  await expect(page.getByRole("region", { name: "From version 1 to version 2" })).toBeVisible();
  await picture(page, "documents");
});

test("a graph that ran", async ({ page, demo }) => {
  await enter(page, demo, "/graphs");
  await page.getByRole("button", { name: "Use Summarise a document" }).click();
  await page.getByRole("tab", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator("[data-run-status=completed]")).toBeVisible();
  await picture(page, "graph");
});
