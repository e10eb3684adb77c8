import type { Page } from "@playwright/test";
import { callThenFinish, oneAgent } from "./agents";
import { addUser, enter, expect, inspect, inspector, say, signIn, test } from "./fixtures";

/** The server says no to what a page asks it for. Each test provokes it. */
test.use({ provoked: /status of (401|500)|in no mood/ });

const refusal = "the server is in no mood";

/** Makes the server refuse requests to a path of the API, and returns how to stop that. */
async function refuse(page: Page, path: string, method?: string): Promise<() => Promise<void>> {
  const pattern = new RegExp(`/api/v1/${path}(\\?|$)`);
  await page.route(pattern, (route) =>
    method && route.request().method() !== method
      ? route.continue()
      : route.fulfill({ status: 500, json: { error: { code: "internal", message: refusal } } }),
  );
  return () => page.unroute(pattern);
}

const notice = (page: Page) => page.getByRole("alert").filter({ hasText: refusal });

/** The notice has come; then it goes by what is done, and the page is still there. */
async function comesAndGoes(page: Page, go: () => Promise<unknown>): Promise<void> {
  await expect(notice(page)).toBeVisible();
  await go();
  await expect(notice(page)).toHaveCount(0);
  await expect(page.getByRole("main")).toBeVisible();
}

test("the browser answers as the newest do", async ({ page, demo }) => {
  await enter(page, demo);
  const promises = await page.evaluate(() => [
    (document.body.scrollIntoView() as unknown) instanceof Promise,
    (window.scrollTo(0, 0) as unknown) instanceof Promise,
    (document.body.focus() as unknown) instanceof Promise,
  ]);
  expect(promises).toEqual([true, true, true]);
});

test("at sign-in", async ({ page, demo }) => {
  await addUser(demo, "ada");
  await page.goto(demo.url);
  const stop = await refuse(page, "login");
  await signIn(page, "ada");
  await expect(notice(page)).toBeVisible();
  await stop();
  await signIn(page, "ada");
  await expect(page.getByRole("heading", { name: "What would you like to get done?" })).toBeVisible();
  await expect(notice(page)).toHaveCount(0);
});

test("on the page of a new chat", async ({ page, demo }) => {
  await enter(page, demo);
  await page.getByText("Connect a model").click();
  await page.getByLabel("API key").fill("sk-wrong");
  await refuse(page, "models(/.*)?", "POST");
  await page.getByRole("button", { name: "Test and save" }).click();
  await comesAndGoes(page, () => page.getByRole("link", { name: "Operations" }).click());
});

test("in a chat, its head and the list of chats", async ({ page, demo }) => {
  const chat = await demo.api<{ id: string }>("POST", "/chats", { title: "Plans" });
  const dismiss = () => page.getByRole("button", { name: "Dismiss" }).click();
  const opens = await refuse(page, "query");
  await enter(page, demo, `/chats/${chat.id}`);
  await comesAndGoes(page, dismiss);
  await opens();
  await refuse(page, `chats/${chat.id}`);
  await page.getByRole("button", { name: "Plans", exact: true }).click();
  await page.getByLabel("Title of the chat").fill("Other plans");
  await page.keyboard.press("Enter");
  await expect(notice(page)).toBeVisible();
  await page.getByRole("textbox", { name: "Message" }).focus();
  await expect(page.getByLabel("Title of the chat"), "what was refused is not lost").toHaveValue(
    "Other plans",
  );
  await comesAndGoes(page, () => page.getByLabel("Title of the chat").press("Escape"));
  await page.getByRole("link", { name: "Plans" }).hover();
  await page.getByRole("button", { name: "More about Plans" }).click();
  await page.getByRole("menuitem", { name: "Delete Plans" }).click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await comesAndGoes(page, dismiss);
  const stop = await refuse(page, `chats/${chat.id}/messages`, "POST");
  await say(page, "Hello");
  await comesAndGoes(page, async () => {
    await stop();
    await page.getByRole("button", { name: "Try again" }).click();
  });
});

test("in the inspector", async ({ page, scripted, model }) => {
  oneAgent(model, "Order tea", callThenFinish("order", { item: "tea" }));
  await enter(page, scripted);
  await say(page, "Tea, please");
  await expect(page.getByText("Needs your decision:")).toBeVisible();
  await inspect(page, "Order tea");
  await refuse(page, "chats/[^/]+/(tasks|sub-agents)/.*", "POST");
  await inspector(page).getByRole("button", { name: "Cancel" }).click();
  await comesAndGoes(page, () => page.getByRole("button", { name: "Dismiss" }).click());
  await inspector(page).getByLabel("Steer the agent").fill("Green tea");
  await inspector(page).getByRole("button", { name: "Steer", exact: true }).click();
  await comesAndGoes(page, () => page.getByRole("button", { name: "Dismiss" }).click());
  await expect(inspector(page).getByLabel("Steer the agent")).toHaveValue("Green tea");
  await inspector(page).getByRole("button", { name: "Deny" }).click();
  await comesAndGoes(page, () => page.getByRole("link", { name: "Close the inspector" }).click());
});

for (const tab of ["runs", "jobs", "triggers", "models", "tools", "usage", "keys", "users"]) {
  test(`in operations: ${tab}`, async ({ page, demo }) => {
    const stop = await refuse(page, tab === "usage" ? "usage/report" : tab);
    await enter(page, demo, `/operations/${tab}`);
    await comesAndGoes(page, () => page.getByRole("link", { name: "New chat" }).click());
    await page.goBack();
    await expect(notice(page)).toBeVisible();
    await stop();
    await page.getByRole("link", { name: "New chat" }).click();
    await page.goBack();
    await expect(page.getByRole("heading", { name: "Operations" })).toBeVisible();
    await expect(notice(page)).toHaveCount(0);
  });
}

test("when it cannot be told who is signed in", async ({ page, demo }) => {
  const stop = await refuse(page, "me");
  await enter(page, demo);
  await expect(notice(page)).toContainText("The page could not be shown.");
  await stop();
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("heading", { name: "What would you like to get done?" })).toBeVisible();
});
