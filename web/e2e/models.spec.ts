import type { Locator, Page } from "@playwright/test";
import { enter, expect, inspect, inspector, say, shot, test } from "./fixtures";
import type { Asked, Reply, ScriptedModel } from "./model";
import type { Nestor } from "./nestor";

const key = "sk-the-right-one";

/** A server with two models, that knows its key. */
function scripted(asked: Asked): Reply {
  if (asked.key !== key) {
    return { status: 401, message: "Incorrect API key provided" };
  }
  if (!["small", "large"].includes(asked.model)) {
    return { status: 404, message: `The model ${asked.model} does not exist` };
  }
  return { pieces: [`I am ${asked.model}.`] };
}

interface Filled {
  model: string;
  secret?: string;
  name?: string;
  url?: string;
}

async function fill(page: Page, model: ScriptedModel, { url, name, secret, ...filled }: Filled) {
  await page.getByText("Compatible server", { exact: true }).click();
  await page.getByLabel("Address").fill(url ?? `${model.url}/v1`);
  await page.getByRole("textbox", { name: "Model", exact: true }).fill(filled.model);
  await page.getByLabel("API key").fill(secret ?? key);
  await page.getByLabel("Name", { exact: true }).fill(name ?? "");
}

const submit = (page: Page | Locator) => page.getByRole("button", { name: "Test and save" });
const picker = (page: Page) => page.getByRole("combobox", { name: "Model" });
const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
const answers = (page: Page) => page.getByRole("article", { name: "Nestor", exact: true });

interface Saved {
  id: string;
  name: string;
  modelId: string;
  default?: boolean;
}
const saved = async (nestor: Nestor) => (await nestor.api<{ items: Saved[] }>("GET", "/models")).items;

test("a model that is connected answers from then on, without being chosen", async ({
  page,
  demo,
  model,
}) => {
  model.script = scripted;
  await enter(page, demo);
  await expect(picker(page).locator("option:checked")).toHaveText("Default: Demo model (demo)");
  await page.getByText("Connect a model").click();
  await fill(page, model, { model: "small" });
  await submit(page).click();
  await expect(page.getByRole("status").filter({ hasText: "answered in" })).toContainText(
    "New chats use it.",
  );
  await expect(picker(page).locator("option:checked")).toHaveText("Default: Compatible server (small)");
  await shot(page, "models-connected");
  await page.reload();
  await expect(page.getByText("No model is connected yet")).toBeHidden();
  await expect(picker(page).locator("option:checked")).toHaveText("Default: Compatible server (small)");
  await say(page, "Who are you?");
  await expect(answers(page)).toContainText("I am small.");
  await expect(picker(page).locator("option:checked")).toHaveText("Default: Compatible server (small)");
});

test("two connections of one provider stand beside each other, and each can be changed", async ({
  page,
  demo,
  model,
}) => {
  model.script = scripted;
  await enter(page, demo, "/operations/models");
  await page.getByText("Connect a model").click();
  await fill(page, model, { model: "small" });
  await submit(page).click();
  await expect(row(page, "openai:small")).toContainText("Default");
  await fill(page, model, { model: "large" });
  await page.getByLabel("Use it wherever no other model is chosen").uncheck();
  await submit(page).click();
  await expect(row(page, "openai:large")).toContainText("Compatible server 2");
  await expect(row(page, "openai:small")).toContainText("Default");
  expect((await saved(demo)).map((m) => [m.id, m.modelId, Boolean(m.default)])).toEqual([
    ["default", "demo", false],
    ["compatible-server", "small", true],
    ["compatible-server-2", "large", false],
  ]);
  await shot(page, "models-two");

  await page.getByRole("button", { name: "Edit Compatible server 2" }).click();
  const form = page.getByRole("row").filter({ has: page.getByLabel("Address") });
  await form.getByLabel("Name", { exact: true }).fill("The large one");
  await form.getByRole("button", { name: "Save", exact: true }).click();
  await expect(row(page, "The large one")).toBeVisible();

  await page.getByRole("button", { name: "Edit The large one" }).click();
  await form.getByLabel("API key").fill("sk-a-wrong-one");
  await submit(form).click();
  await expect(form.getByRole("alert").first()).toContainText("does not accept the API key");
  await expect(form.getByLabel("API key")).toHaveAttribute("aria-invalid", "true");
  await shot(page, "models-edit");
  await form.getByLabel("API key").fill("");
  await form.getByRole("textbox", { name: "Model", exact: true }).fill("small");
  await submit(form).click(); // with the key that is stored
  await expect(row(page, "The large one")).toContainText("openai:small");

  await page.getByRole("button", { name: "Make The large one the default" }).click();
  await expect(row(page, "The large one")).toContainText("Default");
  await expect(page.getByText("Default", { exact: true })).toHaveCount(1);
  const remove = row(page, "The large one").getByRole("button", { name: /^Remove/ });
  await remove.click();
  await remove.click();
  await expect(row(page, "The large one")).toHaveCount(0);
  await expect(row(page, "Demo model")).toContainText("Default");
});

test("a test that fails says what to do and saves nothing unless one insists", async ({
  page,
  demo,
  model,
}) => {
  model.script = scripted;
  await enter(page, demo, "/operations/models");
  await page.getByText("Connect a model").click();
  for (const [filled, field, text] of [
    [{ model: "small", secret: "sk-wrong" }, "API key", /does not accept the API key/],
    [{ model: "huge" }, "Model", /no model huge for this key/],
    [{ model: "small", url: "http://127.0.0.1:1/v1" }, "Address", /nobody listens at/i],
  ] as const) {
    await fill(page, model, filled);
    await submit(page).click();
    await expect(page.getByRole("alert").last()).toContainText("nothing was saved");
    await expect(page.getByLabel(field).and(page.locator("[aria-invalid=true]"))).toHaveAccessibleDescription(
      text,
    );
    expect(await saved(demo)).toHaveLength(1);
  }
  await shot(page, "models-failed");
  await page.setViewportSize({ width: 390, height: 800 });
  await shot(page, "models-failed-phone");
  await page.getByRole("button", { name: "Save anyway" }).click();
  await expect(row(page, "Compatible server").first()).toBeVisible();
  expect((await saved(demo)).map((m) => m.modelId)).toEqual(["demo", "small"]);
});

test("a new chat is begun with a model and a participant, and keeps what it named", async ({
  page,
  demo,
  model,
}) => {
  model.script = scripted;
  for (const [id, modelId] of [
    ["one", "small"],
    ["two", "large"],
  ]) {
    const connection = { name: id, accessFormat: "openai", modelId, baseUrl: `${model.url}/v1`, secret: key };
    await demo.api("PUT", `/models/${id}`, connection);
  }
  await enter(page, demo);
  await picker(page).selectOption({ label: "two (large)" });
  await shot(page, "models-new");
  await page.setViewportSize({ width: 390, height: 800 });
  await shot(page, "models-new-phone");
  await say(page, "Who are you?");
  await expect(answers(page)).toContainText("I am large.");
  await demo.api("POST", "/models/one/default");
  await page.reload();
  await expect(picker(page)).toHaveValue("two");
  await say(page, "And now?");
  await expect(answers(page).last()).toContainText("I am large.");
  await picker(page).selectOption("");
  await say(page, "And by default?");
  await expect(answers(page).last()).toContainText("I am small.");
  await shot(page, "models-chat-phone");
});

test("tools without their key are marked, and agents are not offered them", async ({
  page,
  scripted: nestor,
  model,
}) => {
  const offered = new Set<string>();
  model.script = ({ part, tools }) => {
    for (const name of tools) {
      offered.add(name);
    }
    return part === "orchestrator"
      ? { calls: [{ name: "create_agent", args: { type: "researcher", instruction: "Search." } }] }
      : { pieces: ["done"] };
  };
  await enter(page, nestor);
  await say(page, "Search the web.");
  await expect(page.locator("[data-task][data-status=success]")).toBeVisible();
  expect(offered).toContain("search_documents");
  expect(offered).not.toContain("tavily_search");
  await page.goto(`${nestor.url}/operations/tools`);
  const card = page.getByRole("region", { name: "tavily_search" });
  await expect(card).toContainText("not set up");
  await expect(card).toContainText("set the environment variable TAVILY_API_KEY");
  await expect(page.getByRole("region", { name: "calculator" })).not.toContainText("not set up");
  await card.scrollIntoViewIfNeeded();
  await shot(page, "models-tools");
});

test.describe("the examples succeed with nothing but the demo model", () => {
  const succeeded = (page: Page) => page.locator("[data-task][data-status=success]");
  const group = (page: Page) => page.getByRole("button", { name: /of \d+ done/ });
  const card = (page: Page, title: string) => page.getByRole("button", { name: title });

  test("two tools, in two agents", async ({ page, demo }) => {
    await enter(page, demo);
    await shot(page, "first");
    await card(page, "Two tools at once").click();
    await expect(answers(page).last()).toContainText("all 2 parts are done");
    await group(page).click();
    await expect(succeeded(page)).toHaveCount(2);
  });

  test("work divided among agents", async ({ page, demo }) => {
    await enter(page, demo);
    await card(page, "Work divided among agents").click();
    await expect(group(page)).toContainText("3 of 3 done");
    await group(page).click();
    await expect(succeeded(page)).toHaveCount(3);
    for (const [i, text] of ["came out of Google", "began at Mozilla", "Andrew Kelley"].entries()) {
      await succeeded(page).nth(i).getByRole("button", { expanded: false }).click();
      await expect(succeeded(page).nth(i)).toContainText(text);
    }
    await expect(page.getByText("failed")).toHaveCount(0);
    await shot(page, "first-agents");
  });

  test("a question, and what comes of the answer", async ({ page, demo }) => {
    await enter(page, demo);
    await card(page, "An agent that asks you a question").click();
    await expect(page.locator("[data-task][data-status=waiting]")).toBeVisible();
    await say(page, "Friday at seven.");
    await expect(succeeded(page)).toHaveCount(1);
    await expect(answers(page).last()).toContainText("I wrote version 1 of the document");
    await inspect(page, "Book a table for two.");
    await expect(inspector(page).getByRole("region", { name: "Final answer" })).toContainText(
      "Friday at seven",
    );
    await shot(page, "first-question");
  });

  test("a document", async ({ page, demo }) => {
    await enter(page, demo);
    await card(page, "An agent that writes a document").click();
    await expect(succeeded(page)).toHaveCount(1);
    await answers(page).last().getByRole("link", { name: "Our team day", exact: true }).click();
    await expect(page.getByText("a walk, a lunch and a quiz").first()).toBeVisible();
    await shot(page, "first-document");
  });

  test("a plan", async ({ page, demo }) => {
    await enter(page, demo);
    await card(page, "A plan with reasons").click();
    await expect(page.getByRole("region", { name: "Wave 1", exact: true })).toBeVisible();
    await expect(page.getByRole("region", { name: "Wave 2", exact: true })).toBeVisible();
    await shot(page, "first-plan");
    await page.goto(`${demo.url}/new`);
    await card(page, "A plan with reasons").click();
    await expect(page.getByRole("region", { name: "Wave 1", exact: true })).toBeVisible();
    expect((await demo.api<{ items: unknown[] }>("GET", "/outcomes")).items).toHaveLength(1);
  });

  test("a graph", async ({ page, demo }) => {
    await enter(page, demo);
    await card(page, "A graph of agents").click();
    await expect(page).toHaveURL(/\/graphs\/.*run=/);
    await expect(page.getByRole("group", { name: "result, output, completed" })).toBeVisible({
      timeout: 20_000,
    });
    await expect(page.getByRole("complementary", { name: "Details" })).toContainText("electric ferries");
    await shot(page, "first-graph");
  });
});
