import { enter, expect, say, shot, test } from "./fixtures";

test("runs are the first page of operations, and appear and change as they happen", async ({
  page,
  scripted,
  model,
}) => {
  await enter(page, scripted, "/operations");
  await expect(page.getByText("Nothing has run yet.")).toBeVisible();
  await expect(page.getByText("A run is everything that one cause sets in motion")).toBeVisible();
  await shot(page, "runs-empty");

  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  model.script = () => ({ pieces: ["On my way. ", held, "Done."] });
  await scripted.api("POST", "/chats", { id: "c1", title: "Errands" });
  await scripted.api("POST", "/chats/c1/messages", { id: "m1", content: "Buy milk\nand bread" });
  const rows = page.getByRole("list", { name: "Runs" }).getByRole("listitem");
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText("Running");
  await expect(rows.getByRole("link", { name: "Buy milk and bread" })).toHaveAttribute(
    "href",
    "/chats/c1/runs/m1",
  );
  goOn();
  await expect(rows).toContainText("Done");
  await expect(rows).toContainText(/\d+ tokens/);
  await expect(rows).toContainText("you");
  await rows.getByRole("link", { name: "Errands" }).click();
  await expect(page).toHaveURL(/chats\/c1$/);
});

test("runs are found by filters, which the address keeps, and can be cancelled", async ({ page, demo }) => {
  await demo.api("POST", "/chats", { id: "c1", title: "Sums" });
  await demo.api("POST", "/chats", { id: "c2", title: "Dinner" });
  await demo.api("POST", "/chats/c1/messages?wait=1", { id: "hello", content: "Hello" });
  await demo.api("POST", "/chats/c1/messages?wait=1", { id: "sum", content: "Compute 6*7" });
  await demo.api("POST", "/chats/c2/messages?wait=1", { id: "book", content: "Book a table for two" });
  await demo.api("POST", "/chats/c2/tasks", {
    id: "fails",
    name: "tool:calculator",
    type: "tool",
    args: { expression: "1/0" },
  });
  await enter(page, demo, "/operations");
  const rows = page.getByRole("list", { name: "Runs" }).getByRole("listitem");
  await expect(rows).toHaveCount(4);
  await expect(rows.filter({ hasText: "Compute 6*7" })).toContainText("1 agent");
  await expect(rows.filter({ hasText: "Compute 6*7" })).toContainText("calculator");
  await expect(rows.filter({ hasText: "1/0" })).toContainText("Failed");
  await shot(page, "runs");
  await page.setViewportSize({ width: 1024, height: 800 });
  await shot(page, "runs-1024");
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await shot(page, "runs-phone");
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.getByLabel("Status").selectOption("waiting");
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText("waits for 1 answer");
  await expect(page).toHaveURL(/status=waiting/);
  await page.reload();
  await expect(page.getByLabel("Status")).toHaveValue("waiting");
  await expect(rows).toHaveCount(1);
  await rows.getByRole("button", { name: "Cancel" }).click();
  await rows.getByRole("button", { name: "Cancel the run?" }).click();
  await expect(page.getByText("No run matches these filters.")).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(rows).toHaveCount(4);
  await expect(rows.filter({ hasText: "Book a table" })).toContainText("Cancelled");

  await page.getByText("More filters").click();
  await page.getByLabel("Tool").fill("calculator");
  await expect(rows).toHaveCount(2);
  await page.getByLabel("Chat", { exact: true }).selectOption({ label: "Sums" });
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText("Compute 6*7");
  await expect(page).toHaveURL(/tool=calculator&chat=c1/);
  await page.getByLabel("Cost at least").fill("0.5");
  await expect(page.getByText("No run matches these filters.")).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByLabel("Begun by").selectOption("task");
  await rows.getByRole("button", { name: "Try again" }).click();
  await expect(rows).toContainText("set going again once");
  await page.getByLabel("Begun within").selectOption("hour");
  await expect(rows).toHaveCount(1);
});

test("more runs are shown when they are wanted", async ({ page, demo }) => {
  await demo.api("POST", "/chats", { id: "c1", title: "Many" });
  for (let i = 0; i < 55; i++) {
    await demo.api("POST", "/chats/c1/tasks", {
      id: `t${i}`,
      name: "tool:calculator",
      type: "tool",
      args: { expression: `1+${i}` },
    });
  }
  await enter(page, demo, "/operations/runs");
  const rows = page.getByRole("list", { name: "Runs" }).getByRole("listitem");
  await expect(rows).toHaveCount(50);
  await expect(page.getByText("The newest 50 runs")).toBeVisible();
  await page.getByRole("button", { name: "Show more" }).click();
  await expect(rows).toHaveCount(55);
  await expect(page.getByRole("button", { name: "Show more" })).toHaveCount(0);
});

test("an administrator sees how runs of others went, and nothing of what was said", async ({
  page,
  demo,
}) => {
  await demo.api("POST", "/users", { id: "ada", name: "Ada", password: "the password of ada" });
  await demo.api("POST", "/chats?user=ada", { id: "c1" });
  await demo.api("POST", "/chats/c1/messages?user=ada&wait=1", { content: "My secret plan" });
  await enter(page, demo, "/operations/runs");
  await expect(page.getByText("Nothing has run yet.")).toBeVisible();
  await page.getByText("More filters").click();
  await page.getByLabel("User", { exact: true }).selectOption({ label: "Ada" });
  await expect(page).toHaveURL(/user=ada/);
  const rows = page.getByRole("list", { name: "Runs" }).getByRole("listitem");
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText("Answered a message");
  await expect(rows).toContainText("Done");
  await expect(rows.getByRole("link")).toHaveCount(0);
  await expect(page.getByText("secret")).toHaveCount(0);
  await page.getByLabel("User", { exact: true }).selectOption({ label: "All users" });
  await expect(rows).toContainText("ada");
  await shot(page, "runs-others");
});

test("a message that is said shows up", async ({ page, demo }) => {
  await enter(page, demo);
  await say(page, "Hello");
  await expect(page.getByRole("article", { name: "Nestor", exact: true })).toBeVisible();
  await page.getByRole("link", { name: "Operations" }).click();
  await expect(page.getByRole("list", { name: "Runs" }).getByRole("listitem")).toContainText("Hello");
});
