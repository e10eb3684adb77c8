import { enter, expect, say, shot, test, unauthorised } from "./fixtures";
import { token } from "./nestor";

test.use({ provoked: unauthorised });

test("the link that the server prints signs one browser in, once", async ({ page, browser, demo }) => {
  await page.goto(demo.entrance);
  await expect(page.getByRole("heading", { name: "What would you like to get done?" })).toBeVisible();
  expect(page.url(), "no token stays in the history").not.toContain("token");
  const other = await browser.newPage();
  await other.goto(demo.entrance);
  await expect(other.getByRole("heading", { name: "This link does not work any more" })).toBeVisible();
  await expect(other.getByText("nestor link")).toBeVisible();
  await other.close();
});

test("a browser that nobody knows gets a page to sign in", async ({ page, demo }) => {
  await demo.api("POST", "/users", { id: "ada", name: "Ada", password: "correct horse battery" });
  await page.goto(demo.url);
  await expect(page.getByRole("heading", { name: "Sign in to Nestor" })).toBeVisible();
  await page.getByLabel("Name or e-mail").fill("ada");
  await page.getByLabel("Password").fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await shot(page, "sign-in");
  await page.getByLabel("Password").fill("correct horse battery");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByText("Ada", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { name: "Sign in to Nestor" })).toBeVisible();
});

test("the token of the server signs a browser in", async ({ page, demo }) => {
  await page.goto(demo.url);
  await page.getByRole("button", { name: "Use the server token instead" }).click();
  await page.getByLabel("Server token").fill("not the token");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toContainText("NESTOR_TOKEN");
  await page.getByLabel("Server token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { name: "What would you like to get done?" })).toBeVisible();
});

test("what is no page is not found, and the pages of a chat are", async ({ page, demo }) => {
  await enter(page, demo);
  for (const path of ["/health", "/v2/models", "/chats/c1/nothing/x"]) {
    expect((await page.request.get(`${demo.url}${path}`)).status(), path).toBe(404);
  }
  await say(page, "Hello");
  await page.reload();
  await expect(page.getByRole("article", { name: "Nestor", exact: true })).toHaveCount(1);
});

test("a session that expires while the page is open is renewed, unnoticed", async ({
  page,
  context,
  demo,
}) => {
  await enter(page, demo);
  await say(page, "Hello");
  await expect(page.getByRole("article", { name: "Nestor", exact: true })).toHaveCount(1);
  await context.clearCookies({ name: /^nestor_session/ }); // as the browser does after 15 minutes
  await say(page, "Hello again");
  await expect(page.getByRole("article", { name: "Nestor", exact: true })).toHaveCount(2);
  expect((await context.cookies()).map((c) => c.name)).toContain(`nestor_session_${new URL(demo.url).port}`);
});

test("tabs that find the session expired at the same time renew it once", async ({ page, context, demo }) => {
  await enter(page, demo);
  const second = await context.newPage();
  await second.goto(page.url());
  const url = page.url();
  await Promise.all([page.goto("about:blank"), second.goto("about:blank")]); // whose requests would count, too
  let renewals = 0;
  context.on("request", (r) => {
    renewals += r.url().endsWith("/api/v1/refresh") ? 1 : 0;
  });
  await context.clearCookies({ name: /^nestor_session/ });
  await Promise.all([page.goto(url), second.goto(url)]);
  for (const tab of [page, second]) {
    await expect(tab.getByRole("heading", { name: "What would you like to get done?" })).toBeVisible();
    await expect(tab.getByText("demo model", { exact: true })).toBeVisible();
  }
  expect(renewals).toBe(1);
});
