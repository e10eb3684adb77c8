import { enter, expect, inspect, inspector, say, shot, test, unreachable } from "./fixtures";
import { kept } from "./kept";
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
  rest.open();
  await expect(second.getByText("all for one.")).toBeVisible();
  await expect(page.getByText("all for one.")).toBeVisible();
  expect(streams, "streams of the second tab").toBe(0);
  await page.close();
  model.script = () => ({ pieces: ["Still here."] });
  await say(second, "And now?");
  await expect(second.getByText("Still here.")).toBeVisible();
});

test.describe("without the server", () => {
  test.use({ provoked: unreachable });

  test("the page says so, keeps what was said, and sends it later", async ({ page, demo }) => {
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

  test("a page that is reloaded shows what the browser has, and goes on", async ({ page, demo }) => {
    await enter(page, demo);
    await page.getByRole("button", { name: /asks you a question/ }).click();
    const block = page.locator("[data-task][data-status=waiting]");
    await expect(block).toBeVisible();
    await inspect(page, "Book a table for two.");
    await expect(inspector(page).getByRole("region", { name: "Question" })).toBeVisible();
    for (const part of ['"status":"waiting"', "ask_user", "I am giving this", '"waiting_for_user"']) {
      await expect.poll(() => kept(page)).toContain(part);
    }
    await page.evaluate(() => navigator.serviceWorker.ready);
    await demo.stop();
    await page.reload();
    await expect(page.getByText("You are offline.")).toBeVisible();
    await expect(page.getByRole("article", { name: "You", exact: true })).toHaveText(/Book a table for two/);
    await expect(page.getByText("I am giving this to a general agent.")).toBeVisible();
    await expect(block).toContainText("For which day and time should I book?");
    await expect(inspector(page)).toContainText("1 of 25");
    await expect(inspector(page).getByRole("region", { name: "Question" })).toBeVisible();
    await say(page, "Friday at seven.");
    await shot(page, "offline-reload");
    await demo.start();
    await expect(inspector(page).getByRole("region", { name: "Final answer" })).toContainText(
      "Friday at seven",
    );
  });

  test("a browser that cannot ask how to keep documents keeps them as soon as it can", async ({
    page,
    demo,
  }) => {
    await page.route("**/replication/schemas", (route) => route.abort());
    const refused = page.waitForEvent("requestfailed", (r) => r.url().endsWith("/replication/schemas"));
    await enter(page, demo);
    await say(page, "Hello quokkas");
    await expect(page.getByRole("article", { name: "Nestor", exact: true })).toHaveCount(1);
    await refused;
    expect(await kept(page)).not.toContain("Hello quokkas");
    await page.unroute("**/replication/schemas");
    await expect.poll(() => kept(page)).toContain("Hello quokkas");
  });
});

test("a phone shows one thing at a time", async ({ page, demo }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await enter(page, demo);
  await shot(page, "phone-first");
  await page.getByRole("button", { name: /asks you a question/ }).click();
  await page.locator("[data-task][data-status=waiting]").waitFor();
  await shot(page, "phone-chat");
  const menu = page.getByRole("button", { name: "Open the menu" });
  await menu.click();
  await expect(page.getByRole("link", { name: "New chat" })).toBeFocused();
  await shot(page, "phone-menu");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("navigation", { name: "Chats" })).toBeHidden();
  await expect(menu).toBeFocused();
  await menu.click();
  await inspect(page, "Book a table for two.");
  await expect(page.getByRole("log")).toBeHidden();
  await shot(page, "phone-inspector");
  await page.getByRole("link", { name: "Close the inspector" }).click();
  await expect(page.getByRole("log")).toBeVisible();
  for (const path of ["", "/operations/jobs", "/operations/keys", "/operations/users"]) {
    await page.goto(path ? demo.url + path : page.url());
    await expect(page.getByRole("main")).toBeVisible();
    await expect(page.getByRole("main").getByText("Loading…")).toHaveCount(0);
    await shot(page, `phone${path.replaceAll("/", "-")}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    expect(wide, `something at ${path} is wider than the screen`).toBe(false);
  }
});

test.describe("a file that a newer server does not have", () => {
  test.use({ provoked: /status of 404|dynamically imported/ });

  test("is told where it is missing", async ({ page, demo }) => {
    await enter(page, demo);
    await page.getByRole("button", { name: /asks you a question/ }).click();
    await expect(page.locator("[data-task]")).toBeVisible();
    await page.route("**/assets/inspector-*", (route) => route.fulfill({ status: 404 }));
    await page.locator("[data-task] a").click();
    await expect(page.getByRole("alert")).toContainText("could not be shown");
    await expect(page.getByRole("log")).toBeVisible();
    await page.unroute("**/assets/inspector-*");
    await page.getByRole("button", { name: "Reload the page" }).click();
    await expect(inspector(page)).toBeVisible();
  });
});
