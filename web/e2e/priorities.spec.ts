import { readFileSync } from "node:fs";
import type { Locator, Page } from "@playwright/test";
import { addUser, enter, expect, shot, signIn, test } from "./fixtures";
import { type Asked, gate, type Reply, type ScriptedModel } from "./model";
import type { Nestor } from "./nestor";

const outcome = {
  direction: "launch",
  object: "the newsletter",
  metric: "subscribers",
  clarifier: "500 by the end of June",
};

/** Tasks of which the demo model finds some to depend on others. */
const tasks = `# Newsletter
- [ ] Choose a name for the newsletter (1h)
- [ ] Design the template after choosing a name (4h)
- [ ] Write the first issue (3h)
- [ ] Test the template after designing it (1h)
- [ ] Send the first issue after testing the template (30m)
`;

const prepare = async (nestor: Nestor) => {
  await nestor.api("POST", "/outcomes", outcome);
  await nestor.api("POST", "/documents", { title: "Newsletter", content: tasks });
};

const row = (page: Page, title: string) =>
  page.getByRole("list", { name: "Documents" }).getByRole("listitem", { name: title });
const wave = (page: Page, n: number) => page.getByRole("region", { name: `Wave ${n}`, exact: true });
const card = (within: Page | Locator, text: string) => within.locator("[data-card]", { hasText: text });
const analyse = (page: Page) => page.getByRole("button", { name: /^Analys/ });

/** A page with a plan. */
async function planned(page: Page, nestor: Nestor): Promise<void> {
  await prepare(nestor);
  await enter(page, nestor, "/priorities");
  await expect(row(page, "Newsletter")).toContainText("5 tasks");
  await analyse(page).click();
  await expect(wave(page, 1)).toBeVisible();
}

test("from nothing to a plan, offline", async ({ page, demo }) => {
  await enter(page, demo);
  await page.getByRole("link", { name: "Priorities" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Priorities" })).toBeVisible();
  await expect(analyse(page)).toBeDisabled();
  await shot(page, "priorities-empty");

  await page.getByRole("link", { name: "Say first what you want to reach" }).click();
  await expect(page.getByRole("radio", { name: "Increase" })).toBeFocused();
  await page.getByText("Launch", { exact: true }).click();
  await page.getByLabel("What", { exact: true }).fill(outcome.object);
  await page.getByLabel("Measured by").fill(outcome.metric);
  await page.getByLabel("How much, by when").fill(outcome.clarifier);
  const text = await page.locator("output").textContent();
  await shot(page, "priorities-editor");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("link", { name: "Change" })).toBeFocused();
  const active = await demo.api<{ assembled_text: string }>("GET", "/outcomes/active");
  expect(active.assembled_text).toBe(text);
  await expect(page.getByText(active.assembled_text)).toBeVisible();

  await page.getByLabel("Files to add").setInputFiles([
    { name: "newsletter.md", mimeType: "text/markdown", buffer: Buffer.from(tasks) },
    { name: "press.txt", mimeType: "text/plain", buffer: Buffer.from("- Call the press (1h)\n") },
  ]);
  await expect(row(page, "newsletter")).toContainText("5 tasks");
  await expect(row(page, "press")).toContainText("1 task");
  await row(page, "newsletter").getByText("Tasks of newsletter").click();
  await expect(row(page, "newsletter")).toContainText("Design the template");

  await analyse(page).click();
  await expect(wave(page, 2)).toBeVisible();
  await expect(page.getByText(/Done in .* steps?\./)).toBeVisible();
  await expect(page.getByRole("region", { name: "Why this order" })).toContainText("Design the template");
  await expect(card(page, "Call the press")).toContainText("press");
  await shot(page, "priorities-plan");
});

test.describe("what is wrong with an outcome", () => {
  test.use({ provoked: /status of 400/ });

  test("stands at its field, and a former outcome becomes active again", async ({ page, demo }) => {
    await prepare(demo);
    await enter(page, demo, "/priorities");
    await page.getByRole("button", { name: "New outcome" }).click();
    const what = page.getByLabel("What", { exact: true });
    await what.fill("x");
    await page.getByLabel("Measured by").fill("downloads");
    await page.getByLabel("How much, by when").fill("twice as many!");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(what).toBeFocused();
    await expect(what).toHaveAccessibleDescription(/3 to 100/);
    await shot(page, "priorities-field-error");
    await what.fill("the app");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("Increase the app, measured by downloads: twice as many!")).toBeVisible();
    await page.getByRole("link", { name: "Change" }).click();
    await page.getByText("Low energy", { exact: true }).click();
    await page.getByLabel("Hours a day").fill("4");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("Low energy: easier tasks first · 4 h a day")).toBeVisible();
    await page.getByRole("link", { name: "Change" }).click();
    await page.getByText("Either", { exact: true }).click();
    await page.getByLabel("Hours a day").fill("");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("link", { name: "Change" })).toBeVisible(); // the editor closes when all is saved
    await expect(page.getByText("Low energy: easier tasks first · 4 h a day")).toHaveCount(0);
    const changed = await demo.api<object>("GET", "/outcomes/active");
    expect(changed).toMatchObject({ state_preference: null, daily_capacity_hours: null });
    await page.getByText("Former outcomes (1)").click();
    await page.getByRole("button", { name: "Make active" }).click();
    const former = "Launch the newsletter, measured by subscribers: 500 by the end of June.";
    await expect(page.getByRole("region", { name: "Outcome" }).getByText(former)).toBeVisible();
    await expect
      .poll(
        async () => (await demo.api<{ assembled_text: string }>("GET", "/outcomes/active")).assembled_text,
      )
      .toBe(former);
  });
});

test.describe("a file that cannot be read", () => {
  test.use({ provoked: /status of 400/ });

  test("says why, and the others are added", async ({ page, demo }) => {
    await enter(page, demo, "/priorities");
    await page.getByLabel("Files to add").setInputFiles([
      { name: "broken.pdf", mimeType: "application/pdf", buffer: Buffer.from("no pdf") },
      { name: "good.md", mimeType: "text/markdown", buffer: Buffer.from("- Write a letter\n") },
    ]);
    await expect(page.getByRole("alert")).toContainText(/broken\.pdf was not added: .*PDF/);
    await expect(row(page, "good")).toContainText("1 task");
    await shot(page, "priorities-broken-file");
    await page.getByRole("button", { name: "Dismiss broken.pdf" }).click();
    await expect(page.getByRole("alert")).toHaveCount(0);
  });
});

test("text is dropped, pasted and written, and a document is deleted after a second press", async ({
  page,
  demo,
}) => {
  await enter(page, demo, "/priorities");
  await expect(page.getByText("Drop files here")).toBeVisible();
  const files = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(
      new File(["- Bake bread\n- Eat it after baking it\n"], "kitchen.md", { type: "text/markdown" }),
    );
    return data;
  });
  await page.locator("[data-drop-zone]").dispatchEvent("drop", { dataTransfer: files });
  await expect(row(page, "kitchen")).toContainText("2 tasks");

  await page.evaluate(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", "# Garden\n- Water the roses\n");
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
  });
  await expect(page.getByRole("textbox", { name: "Text" })).toBeFocused();
  await expect(page.getByLabel("Title")).toHaveValue("Garden");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await expect(row(page, "Garden")).toContainText("1 task");
  await expect(page.getByRole("textbox", { name: "Text" })).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Write text" })).toBeFocused();

  await row(page, "kitchen").getByRole("button", { name: "Delete" }).click();
  await row(page, "kitchen").getByRole("button", { name: "Delete with its tasks?" }).click();
  await expect(row(page, "kitchen")).toHaveCount(0);
});

test("dependencies are drawn for the card that is looked at", async ({ page, demo }) => {
  await planned(page, demo);
  const design = card(page, "Design the template");
  await expect(page.locator("[data-lines]")).toHaveCount(0);
  await design.hover();
  await expect(page.locator("[data-lines] path[data-from]")).not.toHaveCount(0);
  await expect(card(page, "Choose a name for")).toHaveAttribute("data-mark", "before");
  await shot(page, "priorities-lines");
  await page.getByRole("heading", { level: 1 }).hover();
  await expect(page.locator("[data-lines]")).toHaveCount(0);
  await design.getByRole("button").first().focus();
  await expect(page.locator("[data-lines]")).toHaveCount(1);
  await page.keyboard.press("Enter");
  await expect(design.getByText("Comes after")).toBeVisible();
  await page.getByRole("link", { name: "Change" }).focus();
  await expect(page.locator("[data-lines]")).toHaveCount(1);
  await shot(page, "priorities-selected");
});

test("the reasoning is filtered and exported", async ({ page, demo }) => {
  await planned(page, demo);
  await page.getByRole("button", { name: "Reasoning" }).click();
  await expect(page).toHaveURL(/\/priorities\/reasoning$/);
  const panel = page.getByRole("region", { name: "Reasoning" });
  await expect(panel).toBeFocused();
  const steps = panel.getByRole("list", { name: "Steps" }).locator("> li");
  const trace = await demo
    .api<{ id: string }>("GET", "/agent/sessions/latest")
    .then(({ id }) =>
      demo.api<{ steps: { tool_name: string }[]; session_id: string }>("GET", `/agent/sessions/${id}/trace`),
    );
  await expect(steps).toHaveCount(trace.steps.length);
  await steps.first().getByText("Input").click();
  await expect(steps.first().locator("pre").first()).toBeVisible();
  await shot(page, "priorities-reasoning");
  await panel.getByLabel("Tool").selectOption("detect-dependencies");
  const detected = trace.steps.filter((s) => s.tool_name === "detect-dependencies").length;
  await expect(steps).toHaveCount(detected);
  await panel.getByText("Failed", { exact: true }).click();
  await expect(steps).toHaveCount(0);
  const saved = page.waitForEvent("download");
  await panel.getByRole("button", { name: "Export JSON" }).click();
  const file = await saved;
  expect(file.suggestedFilename()).toBe(`reasoning-${trace.session_id}.json`);
  const exported = JSON.parse(readFileSync(await file.path(), "utf8")) as typeof trace;
  expect(exported.steps).toEqual(trace.steps);
  await page.reload();
  await expect(steps).toHaveCount(trace.steps.length);
});

test("a phone shows the waves below each other", async ({ page, demo }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await prepare(demo);
  await enter(page, demo);
  await page.getByRole("button", { name: "Open the menu" }).click();
  await page.getByRole("link", { name: "Priorities" }).click();
  await expect(row(page, "Newsletter")).toContainText("5 tasks");
  await analyse(page).click();
  await expect(wave(page, 2)).toBeVisible();
  const [first, second] = [await wave(page, 1).boundingBox(), await wave(page, 2).boundingBox()];
  expect(second?.x).toBe(first?.x);
  expect(second?.y).toBeGreaterThan((first?.y ?? 0) + (first?.height ?? 0));
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(wide).toBe(390);
  await shot(page, "priorities-phone-top");
  await wave(page, 1).scrollIntoViewIfNeeded();
  await card(page, "Design the template").getByRole("button").first().click();
  await expect(page.locator("[data-lines]")).toHaveCount(1);
  await shot(page, "priorities-phone");
});

test("nobody sees the priorities of somebody else", async ({ page, browser, demo }) => {
  await planned(page, demo);
  await addUser(demo, "ada");
  const context = await browser.newContext();
  const other = await context.newPage();
  await other.goto(demo.url);
  await signIn(other, "ada");
  await other.getByRole("link", { name: "Priorities" }).click();
  await expect(other.getByText("What do you want to reach?")).toBeVisible();
  await expect(other.getByText("newsletter")).toHaveCount(0);
  await expect(other.locator("[data-card]")).toHaveCount(0);
  await expect(analyse(other)).toBeDisabled();
  await context.close();
});

/** Makes the model say what analyses ask it for; rules find the tasks. */
function script(model: ScriptedModel, think: (step: number) => Reply, detect: () => Reply): void {
  let step = 0;
  model.script = ({ text }: Asked) => {
    if (text.includes("You put a person's tasks")) {
      return think(++step);
    }
    return text.includes("You find out how tasks depend") ? detect() : { pieces: ["Hm."] };
  };
}

const call = (thought: string, name: string, args: unknown): Reply => ({
  pieces: [thought],
  calls: [{ name, args }],
});

/** The ids of all tasks. */
const ids = async (nestor: Nestor) =>
  (await nestor.api<{ items: { id: string }[] }>("GET", "/tasks")).items.map((t) => t.id);

test("steps are seen as they come, also after a reload, and an analysis is cancelled", async ({
  page,
  scripted,
  model,
}) => {
  const held = gate();
  script(
    model,
    (step) =>
      step === 1
        ? call("What is it about?", "semantic-search", { query: "newsletter" })
        : { pieces: [held.opened] },
    () => ({ pieces: ["Hm."] }),
  );
  await prepare(scripted);
  await enter(page, scripted, "/priorities");
  await expect(row(page, "Newsletter")).toContainText("by rules instead of the model");
  await analyse(page).click();
  const steps = page.getByRole("list", { name: "Steps so far" });
  await expect(steps).toContainText("Look for tasks that matter");
  await expect(steps).toContainText("What is it about?");
  await expect(steps).toContainText("Thinking…");
  await expect(analyse(page)).toBeDisabled();
  await shot(page, "priorities-running");
  await page.reload();
  await expect(steps).toContainText("Look for tasks that matter");
  await expect(page.getByText(/Step 2 of at most 10/)).toBeVisible();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByText("You cancelled the last analysis.")).toBeVisible();
  await expect(analyse(page)).toBeEnabled();
  held.open();
});

test("a plan is partial when a tool failed, which the reasoning shows", async ({ page, scripted, model }) => {
  let all: string[] = [];
  script(
    model,
    (step) =>
      step === 1
        ? call("What depends on what?", "detect-dependencies", { task_ids: all })
        : call("Then without.", "submit_plan", {
            ordered_task_ids: all,
            synthesis_summary: "In your order.",
          }),
    () => ({ status: 400 }),
  );
  await prepare(scripted);
  await enter(page, scripted, "/priorities");
  await expect(row(page, "Newsletter")).toContainText("5 tasks");
  all = await ids(scripted);
  await analyse(page).click();
  await expect(page.getByText("This plan is partial: detect-dependencies failed.")).toBeVisible({
    timeout: 30_000,
  });
  await expect(page.getByRole("region", { name: "Why this order" })).toContainText("In your order.");
  await page.getByRole("link", { name: "See why" }).click();
  const steps = page.getByRole("list", { name: "Steps" }).locator("> li");
  await expect(steps).toHaveCount(2);
  await page.getByRole("region", { name: "Reasoning" }).getByText("Failed", { exact: true }).first().click();
  await expect(steps).toHaveCount(1);
  await expect(steps).toHaveAttribute("data-status", "failed");
  await expect(steps).toContainText("detect-dependencies");
  await expect(page.getByRole("link", { name: "Priorities" })).toBeInViewport(); // the frame stays where it is
  await shot(page, "priorities-partial");
});

test("an analysis that fails says why, and the plan before it stays", async ({ page, scripted, model }) => {
  let all: string[] = [];
  script(
    model,
    (step) =>
      step === 1
        ? call("Easy.", "submit_plan", { ordered_task_ids: all, synthesis_summary: "In your order." })
        : { status: 400 },
    () => ({ pieces: ["Hm."] }),
  );
  await prepare(scripted);
  await enter(page, scripted, "/priorities");
  await expect(row(page, "Newsletter")).toContainText("5 tasks");
  all = await ids(scripted);
  await analyse(page).click();
  await expect(wave(page, 1)).toBeVisible();
  await page.getByRole("button", { name: "Analyse again" }).click();
  await expect(page.getByRole("alert")).toContainText(/The analysis failed: .*this model refuses/);
  await expect(page.getByText("The plan of the one before still counts.")).toBeVisible();
  await expect(wave(page, 1).locator("[data-card]")).toHaveCount(5);
  await page.getByRole("link", { name: "See how far it came" }).click();
  await expect(page.getByLabel("Analysis").locator("option")).toHaveCount(2);
  await shot(page, "priorities-failed-analysis");
});

test("cards show the days of tasks, and a model plans a small set in one step", async ({
  page,
  scripted,
  model,
}) => {
  script(
    model,
    () =>
      call("T1 waits for Anna.", "submit_plan", {
        ordered_task_ids: ["T1", "T2"],
        confidence_scores: { T1: 0.9, T2: 0.9 },
        synthesis_summary: "T2 first.",
      }),
    () => ({ pieces: ["Hm."] }),
  );
  await scripted.api("POST", "/outcomes", outcome);
  await scripted.api("POST", "/documents", {
    title: "Letters",
    content:
      "Anna is away until 20 January 2999.\n\n- Ask Anna for the list\n- Print the letter by 3 March 2998\n- Buy stamps by 3 March 2020\n",
  });
  await enter(page, scripted, "/priorities");
  await expect(row(page, "Letters")).toContainText("3 tasks");
  await row(page, "Letters").getByText("Tasks of Letters").click();
  await expect(row(page, "Letters")).toContainText("not before Jan 20, 2999");
  await analyse(page).click();
  await expect(card(wave(page, 1), "Print the letter")).toContainText("due Mar 3, 2998");
  await expect(card(wave(page, 2), "Ask Anna")).toContainText("not before Jan 20, 2999");
  await expect(card(wave(page, 3), "Buy stamps")).toContainText("was due Mar 3, 2020");
  const why = page.getByRole("region", { name: "Why this order" });
  await expect(why).toContainText("“Print the letter by 3 March 2998” first.");
  await expect(why).toContainText(
    "The model forgot this task; it was put last: “Buy stamps by 3 March 2020”.",
  );
  await shot(page, "priorities-days");
});

test("a document that fails says why, and is tried again", async ({ page, scripted, model }) => {
  model.script = () => ({ status: 400 });
  await scripted.api("POST", "/documents", { title: "Newsletter", content: tasks });
  await enter(page, scripted, "/priorities");
  await expect(row(page, "Newsletter")).toContainText("Failed");
  await expect(row(page, "Newsletter")).toContainText("this model refuses");
  await shot(page, "priorities-failed-document");
  model.script = () => ({ pieces: ["Hm."] });
  await row(page, "Newsletter").getByRole("button", { name: "Try again" }).click();
  await expect(row(page, "Newsletter")).toContainText("5 tasks");
});

test.describe("without tasks", () => {
  test.use({ provoked: /status of 400/ });

  test("an analysis says what to do", async ({ page, demo }) => {
    await demo.api("POST", "/outcomes", outcome);
    await enter(page, demo, "/priorities");
    await analyse(page).click();
    await expect(page.getByRole("alert")).toContainText("add a document");
  });
});
