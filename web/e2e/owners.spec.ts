import type { BrowserContext, Page } from "@playwright/test";
import { addUser, expect, say, shot, signIn, test } from "./fixtures";
import { kept, placesOf } from "./kept";
import type { Nestor } from "./nestor";

test.use({ provoked: /status of 401|net::ERR_/ });
test.slow(); // several people sign in, one after the other

const ada = "adelaide";
const bob = "Bob.x-1_y"; // every kind of character that an id can have

const signInPage = (page: Page) => page.getByRole("heading", { name: "Sign in to Nestor" });
const mine = (page: Page) => page.getByRole("article", { name: "You", exact: true });
const unsent = (page: Page) => page.getByRole("article", { name: "You, not sent yet" });

/** Lets Adelaide say something that is sent, something that is not because the server is away, and write something. */
async function leaveUnsent(page: Page, demo: Nestor): Promise<void> {
  await addUser(demo, ada);
  await addUser(demo, bob);
  await page.goto(demo.url);
  await signIn(page, ada);
  await say(page, "Sent quokkas");
  await expect(page.getByRole("article", { name: "Nestor", exact: true })).toHaveCount(1);
  await expect.poll(() => kept(page)).toContain("Sent quokkas");
  await page.evaluate(() => navigator.serviceWorker.ready);
  await demo.stop();
  await expect(page.getByText("You are offline.")).toBeVisible();
  await say(page, "Unsent quokkas");
  await page.getByRole("textbox", { name: "Message" }).fill("Half a quokka");
  await expect(unsent(page)).toContainText("Unsent quokkas");
}

/** What the server has of what a user said, asked as that user. */
async function said(page: Page, id: string, demo: Nestor): Promise<string> {
  const context = (await page.context().browser()?.newContext()) as BrowserContext;
  const other = await context.newPage();
  await other.goto(`${demo.url}/new`);
  await signIn(other, id);
  await expect(other.getByRole("heading", { name: "What would you like to get done?" })).toBeVisible();
  const text = await other.evaluate(async () => {
    const { items } = (await (await fetch("/api/v1/chats")).json()) as { items: { id: string }[] };
    const read = async (c: { id: string }) => (await fetch(`/api/v1/chats/${c.id}/messages`)).text();
    return (await Promise.all(items.map(read))).join("\n");
  });
  await context.close();
  return text;
}

test("who signs out leaves nothing in the browser, and nothing of it is sent", async ({ page, demo }) => {
  await leaveUnsent(page, demo);
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByText("2 texts have not been sent or saved yet and will be lost")).toBeVisible();
  await shot(page, "sign-out-unsent");
  await page.getByRole("button", { name: "Stay" }).click();
  await expect(unsent(page)).toContainText("Unsent quokkas");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign out anyway" }).click();
  await expect(signInPage(page)).toBeVisible();
  await expect.poll(() => placesOf(page, /quokka|adelaide/i)).toEqual([]);
  await demo.start();
  await signIn(page, bob);
  await expect(page.getByText("Your chats will be here.")).toBeVisible();
  await say(page, "Hello from Bob");
  await expect(page.getByRole("article", { name: "Nestor", exact: true })).toHaveCount(1);
  await expect(page.getByText(/quokka/i)).toHaveCount(0);
  expect(await placesOf(page, /quokka|adelaide/i)).toEqual([]);
  const [hers, his] = [await said(page, ada, demo), await said(page, bob, demo)];
  expect(hers).toContain("Sent quokkas");
  expect(hers).not.toMatch(/Unsent|Half|Bob/);
  expect(his).toContain("Hello from Bob");
  expect(his).not.toMatch(/quokka/i);
});

test("a session that was left without the server ends before anything else is asked", async ({
  page,
  demo,
}) => {
  await leaveUnsent(page, demo);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign out anyway" }).click();
  await expect(signInPage(page)).toBeVisible();
  await demo.start();
  await page.reload();
  await expect(signInPage(page)).toBeVisible();
  expect((await page.request.get(`${demo.url}/api/v1/me`)).status()).toBe(401);
  await signIn(page, ada);
  await expect(page.getByRole("navigation", { name: "Chats" }).locator('a[href^="/chats/"]')).toHaveCount(1);
});

test("what is unsent when a session ends waits for its owner, and is sent in their name", async ({
  page,
  context,
  demo,
}) => {
  await leaveUnsent(page, demo);
  await context.clearCookies();
  await demo.start();
  await expect(signInPage(page)).toBeVisible({ timeout: 20_000 });
  await signIn(page, bob);
  await expect(page.getByText("Your chats will be here.")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Message" })).toHaveValue("");
  await say(page, "Hello from Bob");
  await expect(page.getByRole("article", { name: "Nestor", exact: true })).toHaveCount(1);
  await expect(page.getByText(/quokka/i)).toHaveCount(0);
  expect(await said(page, bob, demo)).not.toMatch(/quokka/i);
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(signInPage(page)).toBeVisible();
  await expect.poll(() => placesOf(page, /Bob/)).toEqual([]);
  expect(await placesOf(page, /Unsent quokkas/)).toEqual(["local"]);
  await signIn(page, ada);
  await expect(mine(page)).toHaveText([/Sent quokkas/, /Unsent quokkas/]);
  await expect(page.getByText("Hello from Bob")).toHaveCount(0);
  await expect(page.getByRole("textbox", { name: "Message" })).toHaveValue("Half a quokka");
  expect(await said(page, ada, demo)).toContain("Unsent quokkas");
});

test("a page says nothing in the name of somebody who signed in meanwhile", async ({ page, demo }) => {
  await addUser(demo, ada);
  await addUser(demo, bob);
  await page.goto(demo.url);
  await signIn(page, ada);
  await say(page, "Sent quokkas");
  await expect(page.getByRole("article", { name: "Nestor", exact: true })).toHaveCount(1);
  // The browser has other cookies by now, and no page of it has noticed.
  await page.request.post(`${demo.url}/api/v1/login`, {
    data: { login: bob, password: `the password of ${bob}` },
  });
  await say(page, "Unsent quokkas");
  await expect(page.getByText(bob)).toBeVisible();
  await expect(page.getByText(/quokka/i)).toHaveCount(0);
  await page.getByRole("button", { name: "Sign out" }).click();
  await signIn(page, ada);
  await expect(mine(page)).toHaveText([/Sent quokkas/, /Unsent quokkas/]);
  expect(await said(page, bob, demo)).not.toMatch(/quokka/i);
});

test("who signs out in one tab is signed out in the others", async ({ page, context, demo }) => {
  await addUser(demo, ada);
  await addUser(demo, bob);
  await page.goto(demo.url);
  await signIn(page, ada);
  await say(page, "Sent quokkas");
  await expect(page.getByRole("article", { name: "Nestor", exact: true })).toHaveCount(1);
  const second = await context.newPage();
  await second.goto(page.url());
  await expect(second.getByText("Sent quokkas").first()).toBeVisible();
  await second.getByRole("textbox", { name: "Message" }).fill("Half a quokka");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign out anyway" }).click();
  for (const tab of [page, second]) {
    await expect(signInPage(tab)).toBeVisible();
    await expect.poll(() => placesOf(tab, /quokka|adelaide/i)).toEqual([]);
  }
  await second.goBack().catch(() => {}); // there may be nothing to go back to
  await expect(second.getByText(/quokka/i)).toHaveCount(0);
  await signIn(page, bob);
  await expect(page.getByText(bob)).toBeVisible();
  await expect.poll(() => placesOf(page, /quokka|adelaide/i)).toEqual([]);
});
