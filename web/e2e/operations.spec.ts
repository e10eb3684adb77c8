import { enter, expect, say, shot, test } from "./fixtures";

test("triggers can be switched off and on", async ({ page, demo }) => {
  await enter(page, demo, "/operations/triggers");
  const box = page.getByRole("checkbox", { name: "on-first-message is on" });
  await expect(box).toBeChecked();
  await box.click();
  await expect(box).not.toBeChecked();
  const { items } = await demo.api<{ items: { id: string; enabled: boolean }[] }>("GET", "/triggers");
  expect(items.find((t) => t.id === "on-first-message")?.enabled).toBe(false);
  await shot(page, "triggers");
});

test("a job that was given up can be replayed", async ({ page, demo }) => {
  const change = { path: "users/local/notes/n1", type: "create" };
  const dead = {
    id: "j1",
    key: "k",
    trigger: "on-note",
    state: "dead",
    change,
    attempt: 3,
    runAt: 1,
    createdAt: 1,
  };
  let jobs = [{ ...dead, error: "the receiver answered 500" }];
  await page.route("**/api/v1/jobs?*", (route) => route.fulfill({ json: { items: jobs } }));
  await page.route("**/api/v1/jobs/j1/retry", (route) => {
    jobs = [];
    return route.fulfill({ status: 202, json: { queued: true } });
  });
  await enter(page, demo, "/operations/jobs");
  await page.getByRole("button", { name: "Dead letters (1)" }).click();
  await expect(page.getByRole("row").last()).toContainText("the receiver answered 500");
  await shot(page, "jobs");
  await page.getByRole("button", { name: "Replay" }).click();
  await expect(page.getByRole("button", { name: "Dead letters (0)" })).toBeVisible();
});

test("a tool can be tried", async ({ page, demo }) => {
  await enter(page, demo, "/operations/tools");
  const card = page.getByRole("region", { name: "calculator" });
  await card.getByText("Try it").click();
  await card.getByRole("textbox").fill('{"expression": "6*7"}');
  await card.getByRole("button", { name: "Run" }).click();
  await expect(card.getByRole("status")).toContainText("42");
  await shot(page, "tools");
});

test("a model is connected, tested, and its failure told in plain words", async ({ page, demo, model }) => {
  await enter(page, demo);
  await page.getByText("Connect a model").click();
  await page.getByText("Compatible server").click();
  await page.getByLabel("Address").fill(`${model.url}/v1`);
  await page.getByLabel("Model", { exact: true }).fill("scripted");
  model.script = () => ({ status: 401 });
  await page.getByRole("button", { name: "Save and test" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await shot(page, "connect");
  model.script = () => ({ pieces: ["ok"] });
  await page.getByRole("button", { name: "Save and test" }).click();
  await expect(page.getByText(/answered in \d+ ms/)).toBeVisible();
});

test("usage is shown by day", async ({ page, demo }) => {
  await enter(page, demo);
  await say(page, "Hello");
  await expect(page.getByRole("article", { name: "Nestor", exact: true })).toBeVisible();
  await page.goto(`${demo.url}/operations/usage`);
  await expect(page.getByRole("img", { name: "Tokens by day" })).toBeVisible();
  await expect(page.getByRole("row")).toHaveCount(2);
  await shot(page, "usage");
});

test("the theme and the last page last", async ({ page, demo }) => {
  await enter(page, demo, "/operations/tools");
  await page.getByRole("button", { name: /Theme: system/ }).click();
  await page.getByRole("button", { name: /Theme: light/ }).click();
  await page.goto(demo.url);
  await expect(page).toHaveURL(/operations\/tools/);
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(page.getByRole("button", { name: /Theme: dark/ })).toBeVisible();
});
