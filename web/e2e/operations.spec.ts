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

test("a job that was given up can be replayed", async ({ page, scripted, model }) => {
  model.status = 400; // final: it is not tried again
  await scripted.api("PUT", "/docs/users/local/notes/n1", { text: "Buy milk" });
  await enter(page, scripted, "/operations/jobs");
  await page.getByText("Dead letters (1)").click();
  await expect(page.getByRole("row", { name: /on-note/ })).toContainText("400");
  await shot(page, "jobs");
  model.status = 200;
  await page.getByRole("button", { name: "Replay" }).click();
  await expect(page.getByText("Dead letters (0)")).toBeVisible();
  await expect.poll(() => model.posted.filter((p) => p.url === "/hook")).toHaveLength(2);
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

test("a model is connected, its failure told in plain words, tested, and chosen for a chat", async ({
  page,
  demo,
  model,
}) => {
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
  await page.goto(`${demo.url}/operations/models`);
  const row = page.getByRole("row", { name: /Compatible server/ });
  await row.getByRole("button", { name: "Test" }).click();
  await expect(row.getByRole("status")).toContainText("Answered");
  await shot(page, "models");
  await page.goto(`${demo.url}/new`);
  await say(page, "Hello");
  await expect(page.getByRole("article", { name: "Nestor", exact: true })).toHaveCount(1);
  await page.getByRole("combobox", { name: "Model" }).selectOption({ label: "Compatible server (scripted)" });
  model.script = () => ({ pieces: ["From the other model."] });
  await say(page, "And now?");
  await expect(page.getByText("From the other model.")).toBeVisible();
  await shot(page, "model-choice");
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
