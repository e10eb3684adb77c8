import { addUser, enter, expect, say, shot, signIn, test, unauthorised, unreachable } from "./fixtures";

test("a stage is switched off only after it was said what stops, and shows everywhere", async ({
  page,
  demo,
}) => {
  await enter(page, demo, "/operations/triggers");
  const box = page.getByRole("checkbox", { name: "on-user-message is on" });
  const row = page.getByRole("list", { name: "Triggers" }).getByRole("listitem").filter({ has: box });
  await expect(row).toContainText("created in users/*/orch-chats/*/messages");
  await expect(row).toContainText("POST /webhook/orchestrator");
  await expect(row).toContainText("has not fired");
  await box.click();
  const ask = page.getByRole("alertdialog", { name: "Switch off on-user-message?" });
  await expect(ask).toContainText("Messages of people get no answer.");
  await expect(ask.getByRole("button", { name: "Keep it on" })).toBeFocused();
  await shot(page, "triggers-ask");
  await page.keyboard.press("Escape");
  await expect(ask).toHaveCount(0);
  await expect(box).toBeFocused();
  const enabled = async () => {
    const { items } = await demo.api<{ items: { id: string; enabled: boolean }[] }>("GET", "/triggers");
    return items.find((t) => t.id === "on-user-message")?.enabled;
  };
  expect(await enabled()).toBe(true);

  await box.click();
  await ask.getByRole("button", { name: "Switch off" }).click();
  await expect(box).not.toBeChecked();
  expect(await enabled()).toBe(false);
  await expect(row.getByText("Off", { exact: true })).toBeVisible();
  const tab = page.getByRole("navigation", { name: "Operations" }).getByRole("link", { name: /^Triggers/ });
  await expect(tab).toContainText("1 switched off");
  await shot(page, "triggers");
  await page.getByRole("link", { name: "Jobs", exact: true }).click();
  await expect(page.getByText("Switched off: on-user-message.")).toBeVisible();
  await page.getByRole("link", { name: "Look at the triggers" }).click();
  await box.click();
  await expect(box).toBeChecked();
  expect(await enabled()).toBe(true);
  await expect(page.getByText("1 switched off")).toHaveCount(0);
});

test("a job that was given up tells its attempts, and is tried again or discarded", async ({
  page,
  scripted,
  model,
}) => {
  model.status = 400; // final: it is not tried again
  for (const id of ["n1", "n2"]) {
    await scripted.api("PUT", `/docs/users/local/notes/${id}`, { text: "Buy milk" });
  }
  await enter(page, scripted, "/operations/triggers");
  const trigger = page.getByRole("listitem").filter({ hasText: "on-note" });
  await expect(trigger).toContainText("fired 2 times");
  await trigger.getByRole("link", { name: "Its jobs" }).click();
  await expect(page.getByLabel("Trigger")).toHaveValue("on-note");
  await page.getByText("Dead letters (2)").click();
  await expect(page).toHaveURL(/trigger=on-note&state=dead/);
  const jobs = page.getByRole("list", { name: "Jobs" }).locator("> li");
  const first = jobs.filter({ hasText: "users/local/notes/n1" });
  await expect(first).toContainText("400");
  await expect(page.getByText("Then try again, or discard it")).toBeVisible();
  await first.getByText("1 failed attempt").click();
  await expect(first.getByRole("listitem")).toContainText("Attempt 1");
  await expect(first.getByRole("listitem")).toContainText(/after [\d.]+ m?s/);
  await shot(page, "jobs");
  await page.getByRole("link", { name: /^Jobs/ }).first().waitFor();
  await expect(page.getByText("2 dead letters")).toBeAttached();

  model.status = 200;
  await first.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByText("Dead letters (1)")).toBeVisible();
  await expect.poll(() => model.posted.filter((p) => p.url === "/hook")).toHaveLength(3);
  await jobs.getByRole("button", { name: "Discard" }).click();
  await jobs.getByRole("button", { name: "Discard for good?" }).click();
  await expect(page.getByText("No job matches these filters.")).toBeVisible();
  expect((await scripted.api<{ items: unknown[] }>("GET", "/jobs?state=dead")).items).toEqual([]);
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
  await page.getByRole("textbox", { name: "Model", exact: true }).fill("scripted");
  model.script = () => ({ status: 401 });
  await page.getByRole("button", { name: "Test and save" }).click();
  await expect(page.getByRole("alert").first()).toContainText("wants an API key");
  await shot(page, "connect");
  model.script = () => ({ pieces: ["ok"] });
  await page.getByRole("button", { name: "Test and save" }).click();
  await expect(page.getByText(/answered in \d+ ms/)).toBeVisible();
  await page.goto(`${demo.url}/operations/models`);
  const row = page.getByRole("row", { name: /Compatible server/ });
  await row.getByRole("button", { name: "Test Compatible server" }).click();
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

interface Report {
  total: { calls: number; inputTokens: number; outputTokens: number; costMicros: number };
}

test("usage is told by day, model, chat, role and user, and adds up", async ({ page, demo }) => {
  await enter(page, demo);
  await say(page, "Compute 6*7");
  await expect(page.getByText("Nestor", { exact: true }).first()).toBeVisible();
  await expect
    .poll(async () => JSON.stringify(await demo.api("GET", "/runs?status=success")))
    .toContain("Compute 6*7");
  const { total } = await demo.api<Report>("GET", "/usage/report");
  await page.goto(`${demo.url}/operations/usage`);
  await expect(page.getByRole("img", { name: "Tokens by day" })).toBeVisible();
  const rows = page.locator("tbody tr");
  const foot = page.locator("tfoot td");
  const number = async (cells: string[]) => cells.map((c) => Number(c.replace(/[^\d.]/g, "")));
  for (const [by, want] of [
    ["Day", /^\d{4}-\d\d-\d\d$/],
    ["Model", /^demo$/],
    ["Chat", /./],
    ["Role", /^(orchestrator|general)$/],
  ] as const) {
    await page.getByLabel("By", { exact: true }).selectOption({ label: by });
    await expect(page.getByRole("table", { name: `Usage by ${by.toLowerCase()}` })).toBeVisible();
    for (const name of await rows.locator("td:first-child").allTextContents()) {
      expect(name).toMatch(want);
    }
    const columns = [total.calls, total.inputTokens, total.outputTokens];
    expect(await number((await foot.allTextContents()).slice(1, 4))).toEqual(columns);
    for (const [i, sum] of columns.entries()) {
      const cells = await number(await rows.locator(`td:nth-child(${i + 2})`).allTextContents());
      expect(cells.reduce((a, b) => a + b, 0)).toBe(sum);
    }
  }
  await expect(rows).toHaveCount(2);
  await expect(page).toHaveURL(/by=role/);
  await shot(page, "usage-role");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download CSV" }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^usage-.*\.csv$/);
  const csv = await (await file.createReadStream()).toArray();
  const lines = Buffer.concat(csv as Buffer[])
    .toString()
    .trim()
    .split("\r\n");
  expect(lines[0]).toContain("day,role,calls,inputTokens");
  expect(lines.slice(1).reduce((sum, l) => sum + Number(l.split(",")[2]), 0)).toBe(total.calls);

  await page.getByText("All users").click();
  await page.getByLabel("By", { exact: true }).selectOption("user");
  await expect(rows.first()).toContainText("local");
  await page.reload();
  await expect(page.getByLabel("By", { exact: true })).toHaveValue("user");
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await shot(page, "usage-phone");
});

test.describe("signed in twice", () => {
  test.use({ provoked: unauthorised });

  test("the theme and the last page follow a person to another browser, and back", async ({
    page,
    browser,
    demo,
  }) => {
    await addUser(demo, "ada");
    await page.goto(`${demo.url}/operations/tools`);
    await signIn(page, "ada");
    await page.getByRole("button", { name: /Theme: system/ }).click();
    await page.getByRole("button", { name: /Theme: light/ }).click();
    const saved = async () => {
      const answer = await page.request.get(`${demo.url}/api/v1/records/settings`);
      return ((await answer.json()) as { items: object[] }).items;
    };
    await expect.poll(saved).toMatchObject([{ id: "default", theme: "dark", lastPage: "/operations/tools" }]);

    const context = await browser.newContext();
    const other = await context.newPage();
    await other.goto(demo.url);
    await signIn(other, "ada");
    await expect(other).toHaveURL(/operations\/tools/);
    await expect(other.locator("html")).toHaveAttribute("data-theme", "dark");

    await other.getByRole("button", { name: /Theme: dark/ }).click();
    await other.getByRole("button", { name: /Theme: system/ }).click();
    await expect(page.locator("html")).toHaveAttribute("data-theme", "light"); // while it is open
    await other.getByRole("link", { name: "Documents" }).click();
    await expect.poll(saved).toMatchObject([{ theme: "light", lastPage: "/documents" }]);
    await page.goto(demo.url);
    await expect(page).toHaveURL(/documents/);
    await context.close();
  });
});

test.describe("without a server", () => {
  test.use({ provoked: unreachable });

  test("a theme that is chosen is kept, and follows when there is one", async ({ page, demo }) => {
    await enter(page, demo, "/operations/tools");
    await expect(page.getByRole("button", { name: /Theme: system/ })).toBeVisible();
    await page.evaluate(() => navigator.serviceWorker.ready);
    await demo.stop();
    await expect(page.getByText("You are offline.")).toBeVisible();
    await page.getByRole("button", { name: /Theme: system/ }).click();
    await page.reload();
    await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
    await demo.start();
    await expect
      .poll(async () => (await demo.api<{ items: object[] }>("GET", "/records/settings")).items)
      .toMatchObject([{ theme: "light" }]);
  });
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
