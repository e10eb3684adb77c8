import type { Page } from "@playwright/test";
import { callThenFinish, oneAgent } from "./agents";
import { enter, expect, inspect, inspector, say, shot, test, unreachable } from "./fixtures";
import { gate, type ScriptedModel } from "./model";

async function startOrder(page: Page) {
  await say(page, "Order pizza");
  await page.getByRole("link", { name: /^Look inside/ }).click();
  const card = inspector(page).locator("[data-call]");
  await expect(card).toHaveAttribute("data-status", "awaiting_approval");
  return card;
}

const bodies = (model: ScriptedModel) => model.posted.map((p) => p.body);

test("a call that needs approval runs as a person edited it", async ({ page, scripted, model }) => {
  oneAgent(model, "Order", callThenFinish("order", { item: "ten pizzas" }));
  await enter(page, scripted);
  const card = await startOrder(page);
  await expect(inspector(page)).toContainText("Waiting for your decision");
  await shot(page, "approval");
  await card.getByRole("button", { name: "Edit", exact: true }).click();
  await card.getByRole("textbox", { name: /Arguments/ }).fill('{"item": "one pizza"}');
  await card.getByRole("button", { name: "Approve as edited" }).click();
  await expect(card).toHaveAttribute("data-status", "success");
  expect(bodies(model).join()).toContain("one pizza");
});

test("a page that is opened later knows what waits for a decision", async ({ page, scripted, model }) => {
  oneAgent(model, "Order", callThenFinish("order", { item: "ten pizzas" }));
  await enter(page, scripted);
  await say(page, "Order pizza");
  const block = page.locator("[data-task]");
  await expect(block).toContainText("Needs your decision: order");
  await page.reload();
  await expect(block).toContainText("Needs your decision: order");
  await expect(page.getByRole("navigation", { name: "Chats" }).getByLabel("Needs a decision")).toBeVisible();
  await shot(page, "to-decide");
});

test("a call that is denied does not run, and the agent learns why", async ({ page, scripted, model }) => {
  oneAgent(model, "Order", callThenFinish("order", { item: "ten pizzas" }));
  await enter(page, scripted);
  const card = await startOrder(page);
  await card.getByRole("textbox", { name: "Reason, if you deny it" }).fill("too expensive");
  await card.getByRole("button", { name: "Deny" }).click();
  await expect(card).toHaveAttribute("data-status", "failed");
  await expect(card).toContainText("too expensive");
  await shot(page, "denied");
  expect(bodies(model)).toEqual([]);
});

test.describe("a call that must run once, and was interrupted by a crash", () => {
  test.use({ provoked: unreachable });

  for (const { button, result, runs } of [
    { button: "Run it again", result: "taken", runs: 2 },
    { button: "It is done", result: "it arrived", runs: 1 },
  ]) {
    test(`waits until a person says: ${button}`, async ({ page, scripted, model }) => {
      oneAgent(model, "Ship", callThenFinish("ship", { item: "a piano" }));
      const never = gate();
      model.shipping = never.opened;
      await enter(page, scripted);
      await say(page, "Ship the piano");
      await inspect(page, "Ship");
      const card = inspector(page).locator("[data-call]");
      await expect.poll(() => bodies(model)).toHaveLength(1);
      await scripted.stop("SIGKILL");
      await expect(page.getByText("You are offline.")).toBeVisible();
      model.shipping = Promise.resolve();
      await scripted.start();
      await expect(card).toHaveAttribute("data-status", "unknown", { timeout: 20_000 });
      await expect(card).toContainText("it is not known whether the call took effect");
      await shot(page, "unknown");
      await card.getByRole("textbox", { name: "Result, if you mark it as done" }).fill("it arrived");
      await card.getByRole("button", { name: button }).click();
      await expect(card).toHaveAttribute("data-status", "success");
      await expect(card).toContainText(result);
      await expect(inspector(page).getByRole("region", { name: "Final answer" })).toBeVisible();
      expect(bodies(model)).toHaveLength(runs);
      never.open();
    });
  }
});
