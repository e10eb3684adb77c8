import { readFileSync } from "node:fs";
import { answered, callThenFinish, oneAgent } from "./agents";
import { enter, expect, inspect, inspector, say, shot, test } from "./fixtures";
import { gate } from "./model";

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
  await expect(card.locator("[data-shape=special]")).toHaveText("6*7 = 42");
  await expect(inside.getByText(/Thoughts: I should calculate/)).toBeVisible();
  await shot(page, "inspector-live");
  rest.open();
  await expect(inside.getByRole("region", { name: "Final answer" })).toContainText("It is 42.");
  await expect(inside.getByText("Done").first()).toBeVisible();
  await page.reload();
  await expect(inside.getByRole("region", { name: "Final answer" })).toContainText("It is 42.");
  await expect(page.locator("[data-task][data-status=success]")).toBeVisible();
  await inside.getByRole("tab", { name: "timeline" }).click();
  await expect(inside.getByRole("row")).toHaveCount(4);
  await shot(page, "timeline");
});

test("a step has an address, and arrow keys move between steps", async ({ page, demo }) => {
  await enter(page, demo);
  await page.getByRole("button", { name: /Two tools at once/ }).click();
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

test("failed steps can be shown alone, and everything downloaded", async ({ page, scripted, model }) => {
  oneAgent(model, "Divide", callThenFinish("calculator", { expression: "1/0" }));
  await enter(page, scripted);
  await say(page, "Start");
  await inspect(page, "Divide");
  await expect(inspector(page).getByRole("region", { name: "Final answer" })).toBeVisible();
  await inspector(page).getByRole("button", { name: "Failed (1)" }).click();
  await expect(inspector(page).locator("[data-step]")).toHaveCount(1);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    inspector(page).getByRole("button", { name: "Download everything as JSON" }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/\.json$/);
  const everything = JSON.parse(readFileSync(await download.path(), "utf8")) as unknown;
  for (const part of ["Divide", "1/0", "Settled."]) {
    expect(JSON.stringify(everything)).toContain(part);
  }
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
  await expect(inside.getByText("Paused.")).toBeVisible();
  await inside.getByRole("textbox", { name: "Steer the agent" }).fill("Count in French");
  await inside.getByRole("button", { name: "Steer" }).click();
  await expect(inside.getByText("Count in French")).toBeVisible();
  first.open();
  await expect(inside.locator("[data-call][data-status=success]")).toBeVisible();
  await shot(page, "paused");
  await inside.getByRole("button", { name: "Resume" }).click();
  await expect(inside.getByRole("region", { name: "Final answer" })).toContainText("un, deux");
});

test("an agent that another agent created can be looked into, and leads back", async ({
  page,
  scripted,
  model,
}) => {
  const parts = ["Find facts", "Find pictures"];
  oneAgent(
    model,
    "Write a report",
    (asked) => {
      const editor = asked.text.includes("You divide work.");
      if (!editor || answered(asked)) {
        return { calls: [{ name: "final_answer", args: { answer: editor ? "The report." : "Found." } }] };
      }
      return {
        calls: parts.map((instruction) => ({
          name: "create_agent",
          args: { type: "general", instruction },
        })),
      };
    },
    "editor",
  );
  await enter(page, scripted);
  await say(page, "Report");
  await inspect(page, "Write a report");
  const inside = inspector(page);
  await expect(inside.getByRole("heading", { name: "Write a report" })).toBeVisible();
  await expect(inside.getByRole("region", { name: "Final answer" })).toContainText("The report.");
  await expect(page.locator("[data-task]"), "nested agents have no block of their own").toHaveCount(1);
  await shot(page, "nested");
  await inside.getByRole("link", { name: "Look inside General: Find pictures" }).click();
  await expect(inside.getByRole("heading", { name: "Find pictures" })).toBeVisible();
  await expect(inside.getByRole("region", { name: "Instruction" })).toContainText("Find pictures");
  await inside
    .getByRole("navigation", { name: "Who it works for" })
    .getByRole("link", { name: "Write a report" })
    .click();
  await expect(inside.getByRole("region", { name: "Instruction" })).toContainText("Write a report");
});
