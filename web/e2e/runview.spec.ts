import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { enter, expect, say, shot, test } from "./fixtures";
import { processorTime, scrolled } from "./measure";
import { gate } from "./model";

const tree = (page: Page) => page.getByRole("tree", { name: "What happened in the run" });
const rows = (page: Page) => tree(page).getByRole("treeitem");
const step = (page: Page) => page.getByRole("complementary", { name: "Step" });

/** Opens the run of the message that is shown last. */
async function openRun(page: Page): Promise<void> {
  await page.locator('a[href*="/runs/"]').last().click();
  await expect(tree(page)).toBeVisible();
}

test("the run of a message shows the orchestrator, agents, tools and times", async ({ page, demo }) => {
  await enter(page, demo);
  await say(page, "Compute 6*7");
  await expect(page.getByText("6*7 = 42").or(page.getByText("= 42")).last()).toBeVisible();
  await shot(page, "run-chip");
  const chip = page.locator('article[aria-label="You"] a[href*="/runs/"]');
  await expect(chip).toContainText("1 agent");
  await chip.click();
  await expect(page).toHaveURL(/\/chats\/[^/]+\/runs\/[^/]+$/);
  await expect(rows(page).filter({ hasText: "Orchestrator" })).toBeVisible();
  await expect(rows(page).filter({ hasText: "General" }).last()).toBeVisible();
  await expect(rows(page).filter({ hasText: "calculator" }).first()).toBeVisible();
  await shot(page, "run");

  // The keys walk the tree, fold it and open a step, whose address can be passed on.
  await tree(page).focus();
  const count = await rows(page).count();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowLeft");
  await expect(rows(page)).toHaveCount(2);
  await page.keyboard.press("ArrowRight");
  await expect(rows(page)).toHaveCount(count);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await expect(step(page).getByRole("heading", { name: "Answer" })).toBeVisible();
  await expect(step(page).getByText("create_agent")).toBeVisible();
  await step(page).getByRole("button", { name: "Show what the model was asked" }).click();
  await expect(step(page).getByText("# State")).toBeVisible();
  await expect(step(page).getByText("Made again from the chat")).toBeVisible();
  await shot(page, "run-step");
  await page.reload();
  await expect(step(page).getByText("create_agent")).toBeVisible();
  await rows(page).filter({ hasText: "calculator" }).filter({ hasText: "expression" }).click();
  await expect(step(page).getByText("42", { exact: true })).toBeVisible();

  for (const [name, width] of [
    ["phone", 390],
    ["narrow", 1024],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await shot(page, `run-step-${name}`);
  }
  await page.setViewportSize({ width: 390, height: 800 });
  await step(page).getByRole("button", { name: "Close the step" }).click();
  await shot(page, "run-phone");

  await page.getByLabel("Failed only").check();
  await expect(page.getByText("Nothing failed in this run.")).toBeVisible();
});

test("two runs are compared, and a fork goes on from a step", async ({ page, demo }) => {
  await enter(page, demo);
  await say(page, "Hello");
  await expect(page.getByText("What can I do for you?")).toBeVisible();
  await say(page, "Compute 6*7");
  await expect(page.getByText("= 42").last()).toBeVisible();
  await openRun(page);
  await page.getByLabel("Compare with").selectOption({ index: 1 });
  await expect(page.getByRole("heading", { name: "Two runs side by side" })).toBeVisible();
  await expect(page.getByText("Not in the other run").first()).toBeVisible();
  await shot(page, "run-compare");
  await page.getByLabel("Compare with").selectOption({ index: 0 });
  await rows(page).filter({ hasText: "Answer" }).first().click();
  const at = page.url();
  await step(page).getByRole("button", { name: "Fork the chat here" }).click();
  await expect(page.getByText("Forked from")).toBeVisible();
  expect(page.url()).not.toBe(at);
});

test("a run that is under way is shown as it goes on", async ({ page, scripted, model }) => {
  const rest = gate();
  model.script = () => ({ pieces: [rest.opened, "Here I am."] });
  await enter(page, scripted);
  await say(page, "Take your time");
  await page.locator('article[aria-label="You"] a[href*="/runs/"]').click();
  await expect(rows(page).first()).toContainText("Take your time");
  await expect(page.getByText("Running").first()).toBeVisible();
  await page.getByRole("button", { name: "Jump to live" }).click();
  await expect(tree(page).locator('[aria-selected="true"]')).toContainText("Orchestrator");
  rest.open();
  await expect(rows(page).filter({ hasText: "Here I am." })).toBeVisible();
  await expect(page.getByText("Done").first()).toBeVisible();
});

test("a chat is exported", async ({ page, demo }) => {
  await enter(page, demo);
  await say(page, "Compute 6*7");
  await expect(page.getByText("= 42").last()).toBeVisible();
  for (const [name, want] of [
    ["As Markdown", "```text\nCompute 6*7\n```"],
    ["As JSON", '"content":"Compute 6*7"'],
  ] as const) {
    await page.getByRole("button", { name: "Export" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name }).click();
    const file = await (await download).path();
    expect(await readFile(file, "utf8")).toContain(want);
  }
});

test("a run of 1,000 agents stays smooth", { tag: "@timing" }, async ({ page, demo }) => {
  await enter(page, demo);
  await say(page, "Compute 6*7");
  await expect(page.getByText("= 42").last()).toBeVisible();
  const now = Date.now();
  const times = (from: number, ms: number) => ({ queuedAt: from, beganAt: from + 20, endedAt: from + ms });
  const rows: unknown[] = [
    { id: "m", kind: "message", label: "Big", status: "success", order: 0, ...times(now - 100_000, 100_000) },
  ];
  for (let a = 0; a < 1000; a++) {
    const agent = `orch-chats/c/sub-agents/a${a}`;
    const from = now - 100_000 + a * 50;
    const row = { status: "success", order: a };
    rows.push({
      ...row,
      id: agent,
      parent: "m",
      kind: "agent",
      name: "general",
      label: `Part ${a}`,
      taskId: `t${a}`,
      ...times(from, 20_000),
    });
    for (let s = 0; s < 9; s++) {
      const at = from + s * 2000;
      const waits = [{ for: s % 3 ? "model" : "tool", from: at + 20, to: at + 1900 }];
      rows.push({
        ...row,
        id: `${agent}/messages/${s}`,
        parent: agent,
        kind: s % 3 ? "model" : "tool",
        label: `Step ${s}`,
        waits,
        ...times(at, 1900),
      });
    }
  }
  await page.route("**/api/v1/runs/*/tree*", async (route) => {
    const tree = await (await route.fetch()).json();
    await route.fulfill({ json: { ...tree, rows } });
  });
  const worked = await processorTime(page);
  const before = await worked();
  await page.locator('article[aria-label="You"] a[href*="/runs/"]').click();
  await expect(tree(page)).toBeVisible();
  const opening = (await worked()) - before;
  await page.getByRole("button", { name: "Unfold all" }).click();
  await tree(page).focus();
  const unfolded = await worked();
  const { gaps, most } = await scrolled(tree(page), { rows: '[role="treeitem"]', steps: 60, by: 300 });
  const scrolling = ((await worked()) - unfolded) / 60;
  console.log(
    `10,000 rows: the page worked ${Math.round(opening)} ms to show them, ${Math.round(scrolling)} ms for each of 60 steps, ${gaps} gaps`,
  );
  expect(opening).toBeLessThan(2000);
  expect(scrolling).toBeLessThan(200);
  expect(most, "rows in the page").toBeLessThan(120);
  expect(gaps).toBeLessThan(15);
  await page.keyboard.press("End");
  await expect(page.getByRole("treeitem").filter({ hasText: "Step 8" }).last()).toBeVisible();
  await expect(tree(page).locator('[aria-selected="true"]')).toContainText("Step 8");
  await page.keyboard.press("ArrowLeft");
  await expect(tree(page).locator('[aria-selected="true"]')).toContainText("Part 999");
});
