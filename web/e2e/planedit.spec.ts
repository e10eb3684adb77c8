import type { Page } from "@playwright/test";
import { enter, expect, shot, test } from "./fixtures";
import type { Nestor } from "./nestor";

const tasks = `- [ ] Choose a name (1h)
- [ ] Design the template after choosing a name (4h)
- [ ] Write the first issue (3h)
`;

const wave = (page: Page, n: number) => page.getByRole("region", { name: `Wave ${n}`, exact: true });
const card = (page: Page, text: string) => page.locator("[data-card]", { hasText: text });
const done = (page: Page) => page.getByRole("list", { name: "Done" });

const outcome = {
  direction: "launch",
  object: "the newsletter",
  metric: "subscribers",
  clarifier: "500 by June",
};

/** Two tabs with the same plan: the name and the issue in wave 1, the template in wave 2. */
async function twoTabs(page: Page, nestor: Nestor): Promise<Page> {
  await nestor.api("POST", "/outcomes", outcome);
  await nestor.api("POST", "/documents", { title: "Newsletter", content: tasks });
  await enter(page, nestor, "/priorities");
  await expect(page.getByRole("list", { name: "Documents" })).toContainText("3 tasks");
  await page.getByRole("button", { name: "Analyse" }).click();
  await expect(wave(page, 2)).toContainText("Design the template");
  const other = await page.context().newPage();
  await other.goto(`${nestor.url}/priorities`);
  await expect(wave(other, 1)).toContainText("Write the first issue");
  return other;
}

test("a card is dragged, pinned and done, and the other tab follows", async ({ page, demo }) => {
  const other = await twoTabs(page, demo);
  await card(page, "Write the first issue").dragTo(wave(page, 2));
  await expect(wave(page, 2)).toContainText("Write the first issue");
  await expect(page.getByText("“Write the first issue (3h)” is in wave 2 now.")).toBeVisible();
  await expect(wave(other, 2)).toContainText("Write the first issue");
  const unpin = (p: Page) => p.getByRole("button", { name: /^Unpin “Write the first issue/ });
  await expect(unpin(other)).toBeVisible();
  await shot(page, "priorities-dragged");

  await unpin(other).click();
  await expect(wave(page, 1)).toContainText("Write the first issue");
  await expect(unpin(page)).toHaveCount(0);

  await page.getByRole("button", { name: /^Mark “Choose a name/ }).click();
  await expect(done(page)).toContainText("Choose a name");
  await expect(done(other)).toContainText("Choose a name");
  await expect(wave(other, 1)).toContainText("Design the template");
  await shot(page, "priorities-done");
  await other.getByRole("button", { name: /^Undo: “Choose a name/ }).click();
  await expect(done(page)).toHaveCount(0);
  await expect(wave(page, 2)).toContainText("Design the template");
});

test("a card goes to another wave by keyboard, and keeps the focus", async ({ page, demo }) => {
  await twoTabs(page, demo);
  const move = page.getByRole("combobox", { name: /^Move “Write the first issue/ });
  await move.focus();
  await page.keyboard.press("ArrowDown");
  await expect(wave(page, 2)).toContainText("Write the first issue");
  await expect(move).toBeFocused();
});

test("a card that needs another one first says so", async ({ page, demo }) => {
  await twoTabs(page, demo);
  await card(page, "Design the template").getByRole("combobox").selectOption("Move to wave 1");
  await expect(page.getByText(/is in wave 2, not earlier: it needs “Choose a name/)).toBeVisible();
});

test("a wave is given to agents after a question, and the cards show what came of it", async ({
  page,
  demo,
}) => {
  await demo.api("POST", "/outcomes", outcome);
  await demo.api("POST", "/documents", {
    title: "Sums",
    content: "- [ ] What is 2 + 3?\n- [ ] What is 4 * 5?\n",
  });
  await enter(page, demo, "/priorities");
  await expect(page.getByRole("list", { name: "Documents" })).toContainText("2 tasks");
  await page.getByRole("button", { name: "Analyse" }).click();
  await page.getByRole("button", { name: "Give wave 1 to agents" }).click();
  await expect(page.getByRole("button", { name: "Start 2 agents" })).toBeFocused();
  await shot(page, "priorities-handover");
  await page.keyboard.press("Enter");
  await expect(card(page, "4 * 5").locator("[data-agent=success]")).toBeVisible();
  await expect(card(page, "2 + 3").locator("[data-agent=success]")).toBeVisible();
  await card(page, "4 * 5").getByText("Result").click();
  await expect(card(page, "4 * 5")).toContainText("20");
  await shot(page, "priorities-agents");
  await card(page, "4 * 5").getByRole("link", { name: "Open its chat" }).click();
  await expect(page).toHaveURL(/\/chats\/wave-/);
  await expect(page.getByRole("log", { name: "Conversation" })).toContainText(
    "2 tasks of wave 1 were given to agents",
  );
});

test("what an agent could not do is told as that on its card", async ({ page, scripted, model }) => {
  let ids: string[] = [];
  model.script = ({ part, text }) =>
    part === "agent"
      ? { calls: [{ name: "final_answer", args: { answer: "It rains.", outcome: "could_not" } }] }
      : text.includes("You put a person's tasks")
        ? { calls: [{ name: "submit_plan", args: { ordered_task_ids: ids, synthesis_summary: "So." } }] }
        : { pieces: ["Hm."] };
  await scripted.api("POST", "/outcomes", outcome);
  await scripted.api("POST", "/documents", { title: "House", content: "- [ ] Paint the fence\n" });
  await enter(page, scripted, "/priorities");
  await expect(page.getByRole("list", { name: "Documents" })).toContainText("1 task");
  ids = (await scripted.api<{ items: { id: string }[] }>("GET", "/tasks")).items.map((t) => t.id);
  await page.getByRole("button", { name: "Analyse" }).click();
  await page.getByRole("button", { name: "Give wave 1 to agents" }).click();
  await page.getByRole("button", { name: "Start 1 agent" }).click();
  await expect(card(page, "Paint").locator("[data-agent=could_not]")).toContainText("Could not");
  await expect(card(page, "Paint")).not.toContainText("Failed");
  await shot(page, "priorities-could-not");
});
