import { enter, expect, inspect, inspector, say, shot, test } from "./fixtures";
import { gate } from "./model";

test("a direct answer is shown word by word, at once", async ({ page, scripted, model }) => {
  const rest = gate();
  model.script = () => ({ pieces: ["The first", " words", rest.opened, " and the **rest**."] });
  await enter(page, scripted);
  await say(page, "Hello");
  await expect(page.getByText("The first words")).toBeVisible();
  await expect(page.locator("strong", { hasText: "rest" })).toHaveCount(0);
  await shot(page, "streaming");
  rest.open();
  await expect(page.locator("strong", { hasText: "rest" })).toBeVisible();
  await expect(page.getByRole("article", { name: "Nestor", exact: true })).toHaveCount(1);
  await expect(page.getByRole("heading", { name: "A scripted chat" })).toBeVisible();
});

test("several agents work in parallel, in a group under the message", async ({ page, demo }) => {
  await enter(page, demo);
  await page.getByRole("button", { name: /Two tools at once/ }).click();
  const blocks = page.locator("[data-task]");
  await expect(page.getByText("With that, all 2 parts are done.")).toBeVisible();
  const order = await page.getByRole("log").evaluate((log) => log.textContent ?? "");
  expect(order).toMatch(/What is 15% of 80, and.*2 of 2 done.*With that/s);
  await page.getByRole("button", { name: /2 of 2 done/ }).click();
  await expect(page.locator("[data-task][data-status=success]")).toHaveCount(2);
  await expect(blocks.first()).toContainText("tokens");
  await shot(page, "parallel");
});

test("an agent's question is answered in the message field, too", async ({ page, demo }) => {
  await enter(page, demo);
  await page.getByRole("button", { name: /asks you a question/ }).click();
  const block = page.locator("[data-task][data-status=waiting]");
  await expect(block).toContainText("For which day and time should I book?");
  await inspect(page, "Book a table for two.");
  await expect(inspector(page)).toContainText("Reply below: it goes straight to this agent.");
  await shot(page, "question");
  await say(page, "Friday at seven.");
  await expect(inspector(page).getByRole("region", { name: "Final answer" })).toContainText(
    "Friday at seven",
  );
  await shot(page, "answered");
});

test("a failed agent says why, where it happened, and can be tried again", async ({
  page,
  scripted,
  model,
}) => {
  let broken = true;
  model.script = ({ part }) => {
    if (part === "orchestrator") {
      return {
        pieces: ["I start one."],
        calls: [{ name: "create_agent", args: { type: "general", instruction: "Try" } }],
      };
    }
    if (part === "agent") {
      return broken
        ? { status: 400 }
        : { calls: [{ name: "final_answer", args: { answer: "It worked now." } }] };
    }
    return { pieces: ["A title"] };
  };
  await enter(page, scripted);
  await say(page, "Do it");
  const block = page.locator("[data-task][data-status=failed]");
  await expect(block).toBeVisible();
  await expect(page.getByRole("alert")).toContainText("this model refuses");
  await inspect(page, "Try");
  await expect(inspector(page).getByRole("region", { name: "Error" })).toBeVisible();
  await shot(page, "failure");
  broken = false;
  await inspector(page).getByRole("button", { name: "Retry" }).click();
  await expect(inspector(page).getByRole("region", { name: "Final answer" })).toContainText("It worked now.");
});

test.describe("a message that the server refuses", () => {
  test.use({ provoked: /status of 400/ });

  test("shows why, and can be sent again", async ({ page, demo }) => {
    const chat = await demo.api<{ id: string }>("POST", "/chats", {});
    await enter(page, demo, `/chats/${chat.id}`);
    await expect(page.getByRole("textbox", { name: "Message" })).toBeVisible();
    await page.route("**/messages", (route) =>
      route.fulfill({ status: 400, json: { error: { code: "invalid", message: "content is too long" } } }),
    );
    await say(page, "Hello");
    await expect(page.getByRole("alert")).toContainText("content is too long");
    await page.unroute("**/messages");
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByRole("article", { name: "Nestor", exact: true })).toBeVisible();
    await expect(page.getByRole("alert")).toHaveCount(0);
  });
});

test.describe("a message to a chat that is gone", () => {
  test.use({ provoked: /status of 404|net::ERR_/ });

  test("is not lost, says why it was refused on every page, and can be said elsewhere", async ({
    page,
    demo,
  }) => {
    await enter(page, demo);
    await say(page, "Hello");
    await expect(page.getByRole("article", { name: "Nestor", exact: true })).toHaveCount(1);
    const id = page.url().split("/").at(-1);
    await demo.stop();
    await expect(page.getByText("You are offline.")).toBeVisible();
    await say(page, "Where are you?");
    await page.route("**/api/v1/stream*", (route) => route.abort()); // until the chat is deleted
    await demo.start();
    await demo.api("DELETE", `/chats/${id}`);
    await page.unroute("**/api/v1/stream*");
    await expect(page.getByRole("alert").first()).toContainText("Not sent: This chat no longer exists", {
      timeout: 20_000,
    });
    await expect(page.getByText("Where are you?").first()).toBeVisible();
    await shot(page, "refused");
    await page.goto(`${demo.url}/operations/tools`);
    const told = page.getByRole("alert").filter({ hasText: "Where are you?" });
    await expect(told).toContainText("was not sent: This chat no longer exists");
    await shot(page, "refused-elsewhere");
    await told.getByRole("link").click();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await expect(page.getByRole("textbox", { name: "Message" })).toHaveValue("Where are you?");
    await expect(page.getByRole("alert")).toHaveCount(0);
    await page.keyboard.press("Enter");
    await expect(page.getByRole("article", { name: "Nestor", exact: true })).toHaveCount(1);
  });
});

test.describe("a message to a server that has too much to do", () => {
  test.use({ provoked: /status of 429/ });

  test("is shown with the reason, can be taken back, and is sent when the server says", async ({
    page,
    demo,
  }) => {
    await enter(page, demo);
    await say(page, "Hello");
    await expect(page.getByRole("article", { name: "Nestor", exact: true })).toHaveCount(1);
    let after = "30";
    await page.route("**/messages", (route) =>
      route.fulfill({
        status: 429,
        headers: { "Retry-After": after },
        json: { error: { code: "rate_limited", message: "you have 3 jobs waiting" } },
      }),
    );
    await say(page, "Are you there?");
    await expect(page.getByRole("status").filter({ hasText: "you have 3 jobs waiting" })).toBeVisible();
    await expect(page.getByText(/Sent again in \d+ s/)).toBeVisible();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const input = page.getByRole("textbox", { name: "Message" });
    await expect(input).toHaveValue("Are you there?");
    after = "1";
    await input.press("Enter");
    await expect(page.getByText("The server has too much to do")).toBeVisible();
    await page.unroute("**/messages");
    await expect(page.getByRole("article", { name: "Nestor", exact: true })).toHaveCount(2);
    await expect(page.getByText("The server has too much to do")).toHaveCount(0);
  });
});

test.describe("the first message of a chat that the server refuses", () => {
  test.use({ provoked: /status of 413/ });

  test("can be shortened and said again", async ({ page, demo }) => {
    test.slow(); // a browser takes its time over megabytes
    await enter(page, demo);
    // More than the server takes, and more than the browser has room to keep.
    await page.getByRole("textbox", { name: "Message" }).fill(`Hello ${"x".repeat(3_000_000)}`);
    await page.getByRole("button", { name: "Send" }).click();
    await expect(page.getByRole("alert")).toContainText("Not sent:");
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const input = page.getByRole("textbox", { name: "Message" });
    await expect(input).toHaveValue(/^Hello x+$/);
    await input.fill("Hello");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("article", { name: "Nestor", exact: true })).toHaveCount(1);
  });
});

test("a chat is forked at a message and goes on by itself", async ({ page, scripted, model }) => {
  const seen: string[] = [];
  model.script = ({ text }) => {
    seen.push(text);
    return { pieces: [`Answer ${seen.length}.`] };
  };
  await enter(page, scripted);
  await say(page, "Plan a trip");
  await expect(page.getByText("Answer 1.")).toBeVisible();
  await say(page, "To the north");
  await expect(page.getByText("Answer 2.")).toBeVisible();
  const parent = page.url();
  const first = page.getByRole("article", { name: "Nestor", exact: true }).first();
  await first.hover();
  await first.getByRole("button", { name: "Fork from here" }).click();

  const log = page.getByRole("log");
  await expect(log).toContainText("Forked from A scripted chat");
  await expect(page).not.toHaveURL(parent);
  await expect(page.getByRole("heading", { name: "A scripted chat (fork)" })).toBeVisible();
  await expect(log.getByText("Answer 1.")).toBeVisible();
  await expect(log.getByText("To the north")).toHaveCount(0);
  await say(page, "To the south");
  await expect(log.getByText("Answer 3.")).toBeVisible();
  expect(seen[2]).toContain("Plan a trip");
  expect(seen[2]).toContain("Answer 1.");
  expect(seen[2]).not.toContain("To the north");
  const inOrder = ["Plan a trip", "Answer 1.", "Forked from", "To the south", "Answer 3."];
  const text = (await log.textContent()) ?? "";
  const places = inOrder.map((words) => text.indexOf(words));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
  await shot(page, "forked");

  await page.reload();
  await expect(log).toContainText("Plan a trip");
  await expect(log).toContainText("To the south");
  await expect(page.getByRole("link", { name: "A scripted chat (fork)" })).toBeVisible(); // in the sidebar
  const fork = page.url();
  await log.getByRole("link", { name: "A scripted chat" }).click();
  await expect(page).toHaveURL(parent);
  await expect(log.getByText("Answer 2.")).toBeVisible();
  await expect(log.getByText("To the south")).toHaveCount(0);

  // The parent goes, the fork stays whole.
  await scripted.api("DELETE", `/chats/${parent.split("/").pop()}`);
  await expect(page.getByRole("link", { name: "A scripted chat", exact: true })).toHaveCount(0);
  await page.getByRole("link", { name: "A scripted chat (fork)" }).click();
  await expect(page).toHaveURL(fork);
  await expect(log).toContainText("Forked from A scripted chat");
  await page.reload();
  await expect(log).toContainText("Plan a trip");
  await expect(log.getByRole("link", { name: "A scripted chat" })).toHaveCount(0);
});
