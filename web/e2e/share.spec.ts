import { enter, expect, say, shot, test } from "./fixtures";

test.use({ provoked: /status of 404/ });

test("a link shows a run to somebody without an account, until it is revoked", async ({
  page,
  demo,
  browser,
}) => {
  await enter(page, demo);
  await say(page, "Hello before");
  await expect(page.getByText("What can I do for you?")).toBeVisible();
  await say(page, "Compute 6*7");
  await expect(page.getByText("= 42").last()).toBeVisible();
  await page.locator('article[aria-label="You"] a[href*="/runs/"]').last().click();
  await page.getByRole("button", { name: "Share" }).click();
  await expect(page.getByText("There are no links to this run.")).toBeVisible();
  await page.getByRole("button", { name: "Make a link" }).click();
  const link = await page.getByLabel("Link to the run").inputValue();
  await shot(page, "share");
  expect(link).toMatch(/\/shared\/nst_s_[a-zA-Z0-9]+$/);

  const stranger = await browser.newContext();
  const other = await stranger.newPage();
  const asked: string[] = [];
  other.on("request", (r) => asked.push(new URL(r.url()).pathname));
  const opened = await other.goto(link);
  expect(opened?.headers()["x-robots-tag"]).toBe("noindex");
  expect(opened?.headers()["referrer-policy"]).toBe("no-referrer");
  await expect(other.getByRole("tree")).toBeVisible();
  await expect(other.getByText("Read only")).toBeVisible();
  await other
    .getByRole("treeitem")
    .filter({ hasText: "calculator" })
    .filter({ hasText: "expression" })
    .click();
  await expect(
    other.getByRole("complementary", { name: "Step" }).getByText("42", { exact: true }),
  ).toBeVisible();
  await expect(other.getByRole("button", { name: "Show what the model was asked" })).toHaveCount(0);
  await expect(other.getByRole("button", { name: "Fork the chat here" })).toHaveCount(0);
  await expect(other.getByText("Hello before")).toHaveCount(0);
  await shot(other, "shared");
  const api = asked.filter((path) => path.startsWith("/api/"));
  expect(api.filter((path) => !path.startsWith("/api/v1/shared/"))).toEqual([]); // nothing else is asked for, and nothing is synced
  expect(await stranger.cookies()).toEqual([]);

  await page.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("button", { name: "Revoke it?" }).click();
  await expect(page.getByText("There are no links to this run.")).toBeVisible();
  await other.reload();
  await expect(other.getByRole("heading", { name: "This link does not work" })).toBeVisible();
  await stranger.close();
});
