import { enter, expect, inspect, say, shot, test } from "./fixtures";
import { gate } from "./model";

test("a page that is reloaded in the middle of an answer shows all of it", async ({
  page,
  scripted,
  model,
}) => {
  const rest = gate();
  model.script = () => ({ pieces: ["The beginning,", rest.opened, " the end."] });
  await enter(page, scripted);
  await say(page, "Tell me");
  await expect(page.getByText("The beginning,")).toBeVisible();
  await page.reload();
  await expect(page.getByText("The beginning,")).toBeVisible();
  rest.open();
  await expect(page.getByText("The beginning, the end.")).toBeVisible();
});

test("two tabs show the same, over one stream; when one closes, the other goes on", async ({
  page,
  context,
  scripted,
  model,
}) => {
  let streams = 0;
  context.on("request", (r) => {
    streams += r.url().includes("/api/v1/stream") ? 1 : 0;
  });
  const rest = gate();
  model.script = () => ({ pieces: ["One for all,", rest.opened, " all for one."] });
  await enter(page, scripted);
  await say(page, "Who?");
  await expect(page.getByText("One for all,")).toBeVisible();
  streams = 0;
  const second = await context.newPage();
  await second.goto(page.url());
  await expect(second.getByText("One for all,")).toBeVisible();
  expect(streams, "streams of the second tab").toBe(0);
  rest.open();
  await expect(second.getByText("all for one.")).toBeVisible();
  await expect(page.getByText("all for one.")).toBeVisible();
  await page.close();
  model.script = () => ({ pieces: ["Still here."] });
  await say(second, "And now?");
  await expect(second.getByText("Still here.")).toBeVisible();
});

test("without the server the page says so, keeps what was said, and sends it later", async ({
  page,
  demo,
}) => {
  await enter(page, demo);
  await say(page, "Hello");
  await expect(page.getByRole("article", { name: "Nestor", exact: true })).toHaveCount(1);
  await demo.stop();
  await expect(page.getByText("You are offline.")).toBeVisible();
  await say(page, "Thanks");
  await expect(page.getByText("Sent when the server is back", { exact: true })).toBeVisible();
  await shot(page, "offline");
  await demo.start();
  await expect(page.getByText("You are offline.")).toBeHidden({ timeout: 20_000 });
  await expect(page.getByRole("article", { name: "Nestor", exact: true })).toHaveCount(2);
  await expect(page.getByRole("article", { name: "You", exact: true })).toHaveCount(2);
});

test("a phone shows one thing at a time", async ({ page, demo }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await enter(page, demo);
  await shot(page, "phone-first");
  await page.getByRole("button", { name: /asks back/ }).click();
  await page.locator("[data-task][data-status=waiting]").waitFor();
  await shot(page, "phone-chat");
  await page.getByRole("button", { name: "Open the menu" }).click();
  await inspect(page, "Book a table for two.");
  await expect(page.getByRole("log")).toBeHidden();
  await shot(page, "phone-inspector");
  await page.getByRole("link", { name: "Close the inspector" }).click();
  await expect(page.getByRole("log")).toBeVisible();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
  expect(wide, "something is wider than the screen").toBe(false);
});

test("a browser that nobody knows gets a page to sign in", async ({ page, demo }) => {
  await page.goto(demo.url);
  await expect(page.getByRole("heading", { name: "Sign in to Nestor" })).toBeVisible();
  await shot(page, "sign-in");
  await page.getByLabel("Name or e-mail").fill("ada");
  await page.getByLabel("Password").fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
});
