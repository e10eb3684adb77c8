import type { Page } from "@playwright/test";
import { enter, expect, inspect, inspector, say, shot, test } from "./fixtures";
import { type Asked, gate, type Reply, type ScriptedModel } from "./model";

/** Lets the orchestrator start one agent, which does as it is told. */
function oneAgent(model: ScriptedModel, instruction: string, agent: (asked: Asked) => Reply): void {
  model.script = (asked) => {
    if (asked.part === "agent") {
      return agent(asked);
    }
    const started = asked.part === "orchestrator" && !asked.text.includes("# Report");
    return started
      ? {
          pieces: ["I start an agent."],
          calls: [{ name: "create_agent", args: { type: "general", instruction } }],
        }
      : { pieces: ["It is reported."] };
  };
}

const answered = (asked: Asked) => asked.messages.some((m) => m.role === "tool");

test("the inspector shows an agent while it works, and later", async ({ page, scripted, model }) => {
  const rest = gate();
  oneAgent(model, "Compute", (asked) =>
    answered(asked)
      ? {
          pieces: ["Nearly", rest.opened, " done"],
          calls: [{ name: "final_answer", args: { answer: "It is 42." } }],
        }
      : { reasoning: "I should calculate.", calls: [{ name: "calculator", args: { expression: "6*7" } }] },
  );
  await enter(page, scripted);
  await say(page, "Compute it");
  await inspect(page, "Compute");
  const inside = inspector(page);
  await expect(inside.getByText("Nearly")).toBeVisible();
  const card = inside.locator("[data-call][data-status=success]");
  await expect(card).toContainText("calculator");
  await card.getByText("Output").click();
  await expect(card.locator("pre").last()).toHaveText("42");
  await expect(inside.getByText(/Thoughts: I should calculate/)).toBeVisible();
  await shot(page, "inspector-live");
  rest.open();
  await expect(inside.getByRole("region", { name: "Final answer" })).toContainText("It is 42.");
  await expect(inside.getByText("Done").first()).toBeVisible();
  await page.reload();
  await expect(inside.getByRole("region", { name: "Final answer" })).toContainText("It is 42.");
  await inside.getByRole("tab", { name: "timeline" }).click();
  await expect(inside.getByRole("row")).toHaveCount(4);
  await shot(page, "timeline");
});

test("a step has an address, and arrow keys move between steps", async ({ page, demo }) => {
  await enter(page, demo);
  await page.getByRole("button", { name: /Tools, two at once/ }).click();
  await inspect(page, "What is 15% of 80");
  const steps = inspector(page).locator("[data-step]");
  await expect(steps).toHaveCount(3);
  await steps.nth(1).focus();
  await page.keyboard.press("ArrowDown");
  await expect(steps.nth(2)).toBeFocused();
  await page.keyboard.press("k");
  await expect(steps.nth(1)).toBeFocused();
  await steps.nth(1).getByRole("link", { name: "Link to this step" }).click();
  await expect(page).toHaveURL(/\/steps\//);
  await page.reload();
  await expect(steps.nth(1)).toBeFocused();
});

test("failed steps can be shown alone, and everything downloaded", async ({ page, demo }) => {
  await enter(page, demo);
  await say(page, "Research Go.");
  await inspect(page, "Research Go");
  await expect(inspector(page).getByRole("region", { name: "Final answer" })).toBeVisible();
  await inspector(page).getByRole("button", { name: "Failed (1)" }).click();
  await expect(inspector(page).locator("[data-step]")).toHaveCount(1);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    inspector(page).getByRole("button", { name: "Download everything as JSON" }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/\.json$/);
});

test("an agent can be cancelled", async ({ page, scripted, model }) => {
  const never = gate();
  oneAgent(model, "Work for ever", () => ({ pieces: ["Working", never.opened] }));
  await enter(page, scripted);
  await say(page, "Start");
  await inspect(page, "Work for ever");
  await expect(inspector(page).getByText("Working")).toBeVisible();
  await inspector(page).getByRole("button", { name: "Cancel" }).click();
  await expect(page.locator("[data-task][data-status=cancelled]")).toBeVisible();
  await shot(page, "cancelled");
  never.open();
});

test("an agent can be paused, steered and resumed", async ({ page, scripted, model }) => {
  const first = gate();
  oneAgent(model, "Count", (asked) =>
    asked.text.includes("in French")
      ? { calls: [{ name: "final_answer", args: { answer: "un, deux" } }] }
      : { pieces: ["Counting", first.opened], calls: [{ name: "calculator", args: { expression: "1+1" } }] },
  );
  await enter(page, scripted);
  await say(page, "Start");
  await inspect(page, "Count");
  const inside = inspector(page);
  await expect(inside.getByText("Counting")).toBeVisible();
  await inside.getByRole("button", { name: "Pause" }).click();
  await expect(inside.getByText("It is paused.")).toBeVisible();
  await inside.getByRole("textbox", { name: "Steer the agent" }).fill("Count in French");
  await inside.getByRole("button", { name: "Steer" }).click();
  await expect(inside.getByText("Count in French")).toBeVisible();
  first.open();
  await expect(inside.locator("[data-call][data-status=success]")).toBeVisible();
  await shot(page, "paused");
  await inside.getByRole("button", { name: "Resume" }).click();
  await expect(inside.getByRole("region", { name: "Final answer" })).toContainText("un, deux");
});

const order = (asked: Asked): Reply =>
  answered(asked)
    ? { calls: [{ name: "final_answer", args: { answer: "Settled." } }] }
    : { calls: [{ name: "order", args: { item: "ten pizzas" } }] };

async function startOrder(page: Page) {
  await say(page, "Order pizza");
  await inspect(page, "Order");
  const card = inspector(page).locator("[data-call]");
  await expect(card).toHaveAttribute("data-status", "awaiting_approval");
  return card;
}

test("a call that needs approval runs as a person edited it", async ({ page, scripted, model }) => {
  oneAgent(model, "Order", order);
  await enter(page, scripted);
  const card = await startOrder(page);
  await expect(inspector(page)).toContainText("It waits for your decision");
  await shot(page, "approval");
  await card.getByRole("button", { name: "Edit" }).click();
  await card.getByRole("textbox", { name: /Arguments/ }).fill('{"item": "one pizza"}');
  await card.getByRole("button", { name: "Approve as edited" }).click();
  await expect(card).toHaveAttribute("data-status", "success");
  expect(model.orders.join()).toContain("one pizza");
});

test("a call that is denied does not run, and the agent learns why", async ({ page, scripted, model }) => {
  oneAgent(model, "Order", order);
  await enter(page, scripted);
  const card = await startOrder(page);
  await card.getByRole("textbox", { name: "Reason, if you deny it" }).fill("too expensive");
  await card.getByRole("button", { name: "Deny" }).click();
  await expect(card).toHaveAttribute("data-status", "failed");
  await expect(card).toContainText("too expensive");
  expect(model.orders).toEqual([]);
});
