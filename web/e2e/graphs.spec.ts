import { readFileSync } from "node:fs";
import type { Locator, Page } from "@playwright/test";
import { node, pane, press, run, saved, tab } from "./editor";
import { enter, expect, say, shot, test } from "./fixtures";
import { gate } from "./model";
import type { Nestor } from "./nestor";

const input = (page: Page, of: string, id: string) =>
  node(page, of).locator(`.react-flow__handle.target[data-handleid="${id}"]`);
const output = (page: Page, of: string, id: string) =>
  node(page, of).locator(`.react-flow__handle.source[data-handleid="${id}"]`);
const edges = (page: Page) => page.locator(".react-flow__edge");
const problems = (page: Page) => page.getByRole("region", { name: "Problems" });

interface Template {
  id: string;
  name: string;
  nodes: { id: string }[];
  edges: unknown[];
}

/** Draws an edge with the mouse. */
async function draw(page: Page, from: Locator, to: Locator): Promise<void> {
  const [a, b] = [await from.boundingBox(), await to.boundingBox()];
  if (!a || !b) {
    throw new Error("a port cannot be seen");
  }
  await page.mouse.move(a.x + a.width / 2, a.y + a.height / 2);
  await page.mouse.down();
  await page.mouse.move(b.x + b.width / 2, b.y + b.height / 2, { steps: 6 });
  await page.mouse.up();
}

/** Drags a type from the palette to a place on the canvas. */
async function place(page: Page, type: string, x: number, y: number): Promise<void> {
  const palette = page.getByRole("region", { name: "Node types" });
  await palette.getByLabel("Search node types").fill(type);
  await palette.getByRole("button").first().dragTo(pane(page), { targetPosition: { x, y } });
}

/** Saves a template as the graph g and opens it. */
async function open(page: Page, nestor: Nestor, id: string): Promise<void> {
  const { items } = await nestor.api<{ items: Template[] }>("GET", "/graph_templates");
  const { name, nodes, edges: drawn } = items.find((t) => t.id === id) ?? { name: "", nodes: [], edges: [] };
  await nestor.api("POST", "/records/agent_graphs", { id: "g", name, nodes, edges: drawn });
  await enter(page, nestor, "/graphs/g");
  await expect(node(page, "start")).toBeVisible();
}

test("a graph is drawn from nothing, mended, run and kept", async ({ page, demo }) => {
  await enter(page, demo);
  await page.getByRole("link", { name: "Graphs" }).click();
  await press(page, "New graph");
  await expect(page.getByText("Drag a node type here")).toBeVisible();
  await place(page, "start", 80, 80);
  await place(page, "makes a value part", 120, 330);
  await expect(problems(page)).toContainText("1 error");
  await expect(node(page, "output").getByRole("img")).toHaveAccessibleName(/nothing is connected/);
  await shot(page, "graphs-error");

  await draw(page, output(page, "on-start", "text"), input(page, "output", "run")); // does not fit
  await expect(edges(page)).toHaveCount(0);
  await draw(page, output(page, "on-start", "text"), input(page, "output", "value"));
  await expect(edges(page)).toHaveCount(1);
  await expect(problems(page)).toContainText("1 warning");
  await problems(page)
    .getByRole("button", { name: /no signal ever reaches output/ })
    .click();
  await expect(page.getByRole("region", { name: "Node output" })).toContainText("no signal ever reaches");
  await draw(page, output(page, "on-start", "signal"), input(page, "output", "run"));
  await expect(problems(page)).toContainText("No problems");

  await page.keyboard.press("Control+z");
  await expect(edges(page)).toHaveCount(1);
  await page.keyboard.press("Control+y");
  await expect(edges(page)).toHaveCount(2);
  await page.getByLabel("Name", { exact: true }).fill("echo");

  await tab(page, "Run").click();
  await page.getByLabel("Input", { exact: true }).fill("Hello, harbour");
  await press(page, "Run");
  await expect(run(page)).toHaveAttribute("data-run-status", "completed");
  await expect(saved(page)).toHaveText("Saved");
  await expect(node(page, "output")).toHaveAttribute("data-status", "completed");
  await expect(page.locator('[data-edge="on-start.text>output.value"]')).toHaveText("Hello, harbour");
  await expect(run(page)).toContainText("echo");
  await shot(page, "graphs-ran");

  await tab(page, "Node").click();
  await pane(page).click({ position: { x: 10, y: 10 } });
  await page.getByLabel("Name of the graph").fill("Echo");
  await expect(saved(page)).toHaveText("Not saved");
  await page.reload();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Echo");
  await expect(saved(page)).toHaveText("Not saved");
  await expect(edges(page)).toHaveCount(2);
  await page.keyboard.press("Control+s");
  await expect(saved(page)).toHaveText("Saved");
  await page.reload();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Echo");
  await expect(saved(page)).toHaveText("Saved");
});

test("nodes are copied, moved and connected by keyboard, and files go round", async ({ page, demo }) => {
  await open(page, demo, "chat-answer");
  await page.getByRole("group", { name: /^answer, / }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+c");
  await page.keyboard.press("Control+v");
  await expect(node(page, "answer-2")).toBeVisible();
  await expect(problems(page)).toContainText(/"prompt" of answer-2/);
  await page.getByLabel("Port to connect").selectOption("→ prompt");
  await page.getByLabel("Connect it with").selectOption("start.text");
  await expect(problems(page)).toContainText("1 warning");
  await expect(edges(page)).toHaveCount(6);
  await page.getByRole("group", { name: /^answer-2, / }).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Delete");
  await expect(node(page, "answer-2")).toHaveCount(0);
  await expect(edges(page)).toHaveCount(5);
  for (let i = 0; i < 4; i++) {
    await page.keyboard.press("Control+z"); // the removal, the move, the edge and the copy
  }
  await expect(saved(page)).toHaveText("Saved");

  const [download] = await Promise.all([page.waitForEvent("download"), press(page, "Export")]);
  expect(download.suggestedFilename()).toBe("chat-answer.json");
  const text = readFileSync(await download.path(), "utf8");
  await press(page, "Add a node");
  await page.getByLabel("Search node types").fill("debug");
  await page.keyboard.press("Enter");
  await expect(node(page, "debug-log")).toBeVisible();
  await press(page, "Arrange the nodes");
  const file = { name: "graph.json", mimeType: "application/json", buffer: Buffer.from(text) };
  await page.getByLabel("Graph to import").setInputFiles(file);
  await expect(node(page, "debug-log")).toHaveCount(0);
  await expect(saved(page)).toHaveText("Saved");

  await page.getByRole("link", { name: "All graphs" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Graphs");
  await page.getByLabel("Graph to import").setInputFiles({ ...file, buffer: Buffer.from("no graph") });
  await expect(page.getByRole("alert")).toContainText("This is not a graph");
  const row = page.getByRole("list", { name: "Graphs" }).getByRole("listitem");
  await row.getByRole("button", { name: "Rename" }).click();
  await page.getByLabel("New name").fill("Renamed");
  await page.keyboard.press("Enter");
  await row.filter({ hasText: "Renamed" }).getByRole("button", { name: "Clone" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Renamed (copy)");
  await page.getByRole("link", { name: "All graphs" }).click();
  await expect(row).toHaveCount(2);
  await shot(page, "graphs-list");
  await row.last().getByRole("button", { name: "Delete" }).click();
  await row.last().getByRole("button", { name: "Delete this graph?" }).click();
  await expect(row).toHaveCount(1);
});

test("every template runs offline, an approval is waited for, and a run is replayed", async ({
  page,
  demo,
}) => {
  const { items } = await demo.api<{ items: Template[] }>("GET", "/graph_templates");
  for (const { id, name } of items) {
    await enter(page, demo, "/graphs");
    await press(page, `Use ${name}`);
    await tab(page, "Run").click();
    await press(page, "Run");
    if (id === "approve-then-send") {
      await expect(node(page, "ask")).toHaveAttribute("data-status", "running");
      await run(page).getByRole("button", { name: /ask/ }).click();
      await run(page).getByRole("link", { name: "Its agent works in a chat" }).click();
      await expect(page.locator("[data-task][data-status=waiting]")).toBeVisible();
      await say(page, "Yes.");
      await expect(page.locator("[data-task][data-status=success]")).toBeVisible();
      await page.goBack();
      await tab(page, "History").click();
      await page.getByRole("list", { name: "Runs" }).getByRole("button").first().click();
    }
    await expect(run(page)).toHaveAttribute("data-run-status", "completed");
    await shot(page, `graphs-${id}`);
  }

  const bar = page.getByRole("slider");
  await expect(bar).toHaveAccessibleName(/^Step 10 of 10: (title|summary) completed$/);
  await press(page, "First step");
  await expect(page.locator("[data-node][data-status]")).toHaveCount(0);
  await press(page, "Step on");
  await expect(node(page, "start")).toHaveAttribute("data-status", "running");
  await bar.press("ArrowRight");
  await expect(node(page, "start")).toHaveAttribute("data-status", "completed");
  await expect(page.locator('[data-edge="start.text>name.prompt"]')).toContainText("The harbour");
  await press(page, "Last step");
  await expect(node(page, "title")).toHaveAttribute("data-status", "completed");

  await node(page, "title").click();
  await tab(page, "Node").click();
  await press(page, "Remove the node");
  await tab(page, "History").click();
  await page.getByRole("list", { name: "Runs" }).getByRole("button").first().click();
  await expect(page.getByText("the graph as it was in this run")).toBeVisible();
  await expect(node(page, "title")).toHaveAttribute("data-status", "completed");
  await press(page, "Back to editing");
  await expect(node(page, "title")).toHaveCount(0);
});

test("a run is seen while it goes on, and cancelled", async ({ page, scripted, model }) => {
  const { open: answer, opened } = gate();
  model.script = () => ({ pieces: [opened, "It is ", "harbour."] });
  await open(page, scripted, "chat-answer");
  await tab(page, "Run").click();
  await page.getByLabel("Input", { exact: true }).fill("What is it?");
  await press(page, "Run");
  await expect(node(page, "answer")).toHaveAttribute("data-status", "running");
  await expect(node(page, "start")).toHaveAttribute("data-status", "completed");
  await expect(page.locator('[data-edge="start.text>answer.prompt"]')).toHaveText("What is it?");
  await shot(page, "graphs-running");
  answer();
  await expect(node(page, "result")).toHaveAttribute("data-status", "completed");
  await expect(run(page)).toContainText("It is harbour.");
  await edges(page).nth(4).click({ force: true });
  await expect(page.getByRole("region", { name: "Data of the edge" })).toContainText("It is harbour.");

  const second = gate();
  model.script = () => ({ pieces: [second.opened] });
  await press(page, "Run");
  await expect(node(page, "answer")).toHaveAttribute("data-status", "running");
  await press(page, "Cancel");
  await expect(run(page)).toHaveAttribute("data-run-status", "cancelled");
  await expect(node(page, "answer")).toHaveAttribute("data-status", "cancelled");
  second.open();
});

test("an open graph follows what is saved elsewhere, and asks if it has changes of its own", async ({
  page,
  context,
  demo,
}) => {
  await open(page, demo, "chat-answer");
  const name = page.getByRole("heading", { level: 1 });
  await demo.api("PATCH", "/records/agent_graphs/g", { name: "By the API" });
  await expect(name).toHaveText("By the API");
  await expect(page.getByRole("alert")).toHaveCount(0);

  const other = await context.newPage();
  await other.goto(`${demo.url}/graphs/g`);
  await other.getByLabel("Name of the graph").fill("By the other tab");
  await press(other, "Save");
  await expect(name).toHaveText("By the other tab");
  await press(page, "Undo"); // what was followed can be taken back
  await expect(name).toHaveText("By the API");
  await press(page, "Redo");
  await expect(saved(page)).toHaveText("Saved");

  await page.getByLabel("Name of the graph").fill("Mine");
  await demo.api("PATCH", "/records/agent_graphs/g", { name: "Theirs" });
  await expect(page.getByRole("alert")).toContainText("was saved somewhere else meanwhile");
  await expect(name).toHaveText("Mine");
  await press(page, "Replace theirs");
  await expect(saved(page)).toHaveText("Saved");
  expect(await demo.api("GET", "/records/agent_graphs/g")).toMatchObject({ name: "Mine" });
});

test.describe("whoever saves late", () => {
  test.use({ provoked: /status of 412/, viewport: { width: 390, height: 800 } });

  test("is told and loses nothing, also on a phone", async ({ page, demo }) => {
    await open(page, demo, "chat-answer");
    await page.getByLabel("Name of the graph").fill("Mine");
    await demo.api("PATCH", "/records/agent_graphs/g", { name: "Theirs" });
    await expect(page.getByRole("alert")).toContainText("was saved somewhere else meanwhile");
    await press(page, "Save"); // it is not overwritten
    await expect(page.getByRole("alert")).toContainText("was saved somewhere else meanwhile");
    await shot(page, "graphs-late-phone");
    await page.getByRole("button", { name: /^Take theirs/ }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Theirs");
    await press(page, "Undo");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Mine");
    await press(page, "Save");
    await expect(saved(page)).toHaveText("Saved");
    expect(await demo.api("GET", "/records/agent_graphs/g")).toMatchObject({ name: "Mine" });
    await tab(page, "Run").click();
    await page.getByLabel("Input", { exact: true }).fill("Hello");
    await press(page, "Run");
    await expect(run(page)).toHaveAttribute("data-run-status", "completed");
    await shot(page, "graphs-phone");
  });
});
