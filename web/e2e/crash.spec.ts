import type { Page } from "@playwright/test";
import { callThenFinish, oneAgent } from "./agents";
import { addUser, enter, expect, inspect, inspector, say, shot, signIn, test } from "./fixtures";

const fault = "something is broken inside";

/** A part that wants to show a notice fails, as if the UI had a fault there. */
test.use({ provoked: new RegExp(`${fault}|status of (400|401|500)`) });
test.beforeEach(({ context }) =>
  context.addInitScript((message) => {
    const scroll = Element.prototype.scrollIntoView;
    Element.prototype.scrollIntoView = function (this: Element, ...args) {
      if (this.role === "alert") {
        throw new Error(message);
      }
      return scroll.apply(this, args);
    };
  }, fault),
);

const crashed = (page: Page) => page.getByRole("alert").filter({ hasText: "could not be shown" });

/** Makes the server refuse requests of a method to paths. */
const refuse = (page: Page, path: RegExp, method: string) =>
  page.route(path, (route) =>
    route.request().method() === method
      ? route.fulfill({ status: 400, json: { error: { code: "invalid", message: "no" } } })
      : route.continue(),
  );

test("at sign-in it says so, and one can go on", async ({ page, demo }) => {
  await addUser(demo, "ada");
  await page.goto(demo.url);
  await signIn(page, "ada", "wrong");
  await expect(crashed(page)).toContainText("The page to sign in");
  await expect(crashed(page)).toContainText(fault);
  await shot(page, "crash-sign-in");
  await page.getByRole("button", { name: "Try again" }).click();
  await signIn(page, "ada");
  await expect(page.getByRole("heading", { name: "What would you like to get done?" })).toBeVisible();
});

test("a message leaves the others, and the line to write in", async ({ page, demo }) => {
  const chat = await demo.api<{ id: string }>("POST", "/chats", {});
  await enter(page, demo, `/chats/${chat.id}`);
  await say(page, "Hello");
  const answers = page.getByRole("article", { name: "Nestor", exact: true });
  await expect(answers).toHaveCount(1);
  await refuse(page, /\/messages$/, "POST");
  await say(page, "Hello again");
  await expect(crashed(page)).toContainText("This part of the conversation");
  await expect(answers).toHaveCount(1);
  await shot(page, "crash-message");
  await page.unroute(/\/messages$/);
  await say(page, "And again");
  await expect(answers).toHaveCount(2);
  await page.getByRole("button", { name: "Reload the page" }).click();
  await expect(answers).toHaveCount(2);
});

test("a tool call leaves the rest of the agent, and the chat", async ({ page, scripted, model }) => {
  oneAgent(model, "Order tea", callThenFinish("order", { item: "tea" }));
  await enter(page, scripted);
  await say(page, "Tea, please");
  await expect(page.getByText("Needs your decision:")).toBeVisible();
  await inspect(page, "Order tea");
  await refuse(page, /\/decision$/, "POST");
  await inspector(page).getByRole("button", { name: "Deny" }).click();
  await expect(crashed(page)).toContainText("A tool call");
  await expect(inspector(page).getByRole("region", { name: "Instruction" })).toBeVisible();
  await expect(page.getByRole("log")).toContainText("I start an agent.");
  await shot(page, "crash-tool-call");
  await page.unroute(/\/decision$/);
  await page.getByRole("button", { name: "Try again" }).click();
  await inspector(page).getByRole("button", { name: "Deny" }).click();
  await expect(inspector(page).getByRole("region", { name: "Final answer" })).toBeVisible();
});

test("a chat in the list leaves the others, and the page", async ({ page, demo }) => {
  await demo.api("POST", "/chats", { title: "One" });
  await demo.api("POST", "/chats", { title: "Two" });
  await enter(page, demo);
  await refuse(page, /\/chats\/[^/]+$/, "DELETE");
  await page.getByRole("link", { name: "One" }).hover();
  await page.getByRole("button", { name: "More about One" }).click();
  await page.getByRole("menuitem", { name: "Delete One" }).click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(crashed(page)).toContainText("A chat");
  await shot(page, "crash-sidebar");
  await page.getByRole("link", { name: "Two" }).click();
  await expect(page.getByRole("heading", { name: "Two" })).toBeVisible();
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("link", { name: "One" })).toBeVisible();
});

test("a part of operations leaves the others", async ({ page, demo }) => {
  await page.route(/\/api\/v1\/keys(\?|$)/, (route) =>
    route.fulfill({ status: 500, json: { error: { code: "internal", message: "no" } } }),
  );
  await enter(page, demo, "/operations/keys");
  await expect(crashed(page)).toContainText("Keys");
  await page.getByRole("link", { name: "Triggers" }).click();
  await expect(page.getByRole("list", { name: "Triggers" })).toBeVisible();
  await expect(crashed(page)).toHaveCount(0);
});
