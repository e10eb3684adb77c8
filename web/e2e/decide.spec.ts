import type { Page } from "@playwright/test";
import { isConcluding } from "./agents";
import { enter, expect, inspector, say, shot, test, unreachable } from "./fixtures";
import { kept } from "./kept";
import { type Asked, gate, type Reply, type ScriptedModel } from "./model";
import type { Nestor } from "./nestor";

/** What an agent was told and said so far, without its instructions. */
const heard = (asked: Asked) => asked.messages.filter((m) => m.role === "user").map((m) => String(m.content));
const results = (asked: Asked) => asked.messages.filter((m) => m.role === "tool").length;

const done = (answer: string): Reply => ({ calls: [{ name: "final_answer", args: { answer } }] });
const create = (type: string, ...instructions: string[]): Reply => ({
  calls: instructions.map((instruction) => ({ name: "create_agent", args: { type, instruction } })),
});
const asks =
  (question: string, choices?: string[]) =>
  (asked: Asked): Reply =>
    heard(asked).length > 1
      ? done(`Settled: ${heard(asked).at(-1)}`)
      : { calls: [{ name: "ask_user", args: { question, ...(choices && { choices }) } }] };

/** The orchestrator creates agents, who each play the part of their instruction. */
function play(model: ScriptedModel, first: Reply, parts: Record<string, (asked: Asked) => Reply>): void {
  model.script = (asked) => {
    if (asked.part === "agent") {
      return parts[heard(asked)[0] ?? ""]?.(asked) ?? done("Nothing to do.");
    }
    return isConcluding(asked) ? { pieces: ["It is concluded."] } : { pieces: ["I start."], ...first };
  };
}

const block = (page: Page, title: string) => page.locator("[data-task]", { hasText: title });
const group = (page: Page) => page.getByRole("log").getByRole("button", { name: /of \d+ done/ });
const ask = (page: Page, name: string) => page.getByRole("log").getByRole("region", { name });
const field = (page: Page, who: string) => page.getByRole("textbox", { name: `Your answer to ${who}` });

const twoBookings = (model: ScriptedModel) =>
  play(model, create("general", "Book a table", "Book a room"), {
    "Book a table": asks("How many at the table?", ["Two", "Four"]),
    "Book a room": asks("How many in the room?"),
  });

test("two agents that wait are answered each in its own place, in the person's own words", async ({
  page,
  scripted,
  model,
}) => {
  twoBookings(model);
  await enter(page, scripted);
  await say(page, "Book a table and a room");
  await expect(ask(page, "General: Book a table")).toContainText("How many at the table?");
  await expect(ask(page, "General: Book a room")).toContainText("How many in the room?");
  await expect(page.getByText("2 agents wait for you:")).toBeVisible();
  await expect(page.getByText("What you write here goes to Nestor.")).toBeVisible();
  await expect(page).toHaveTitle("(2) Nestor");
  await expect(page.getByText("How many in the room?"), "a question is shown once").toHaveCount(1);
  await shot(page, "decide-two");
  const words = "Two,\n  and 1*2*3 dogs\n# not a heading";
  await field(page, "General: Book a room").fill(words);
  await page.keyboard.press("Enter");
  await expect(block(page, "Book a room")).toHaveAttribute("data-status", "success");
  await expect(block(page, "Book a table")).toHaveAttribute("data-status", "waiting");
  await expect(page).toHaveTitle("Question · A scripted chat");
  await ask(page, "General: Book a table").getByRole("button", { name: "Four" }).click();
  await expect(group(page)).toContainText("2 of 2 done");
  await expect(page.getByText("It is concluded.")).toBeVisible();
  await expect(page).toHaveTitle("Nestor");
  const chat = new URL(page.url()).pathname.split("/")[2];
  const { items } = await scripted.api<{ items: { role: string; content: string; taskId?: string }[] }>(
    "GET",
    `/chats/${chat}/messages`,
  );
  const room = items.filter((m) => m.content === words || m.content === "Four");
  expect(room.map((m) => [m.role, m.content])).toEqual([
    ["user", words],
    ["user", "Four"],
  ]);
  const at = items.findIndex((m) => m.content === words);
  const question = items.findIndex((m) => m.taskId === items[at]?.taskId);
  expect(question, "the question is above its answer").toBeLessThan(at);
  expect(items[question]?.role).toBe("assistant");
  await group(page).click();
  await page.getByRole("link", { name: /Look inside General: Book a room/ }).click();
  await expect(inspector(page).getByRole("region", { name: "Message from you" })).toContainText("1*2*3 dogs");
  await shot(page, "decide-two-answered");
});

test("what is being pressed stays under the pointer while an answer comes", async ({
  page,
  scripted,
  model,
}) => {
  const told = gate();
  twoBookings(model);
  const script = model.script;
  const long = Array.from({ length: 40 }, (_, i) => `Line ${i + 1}.\n\n`);
  model.script = (asked) =>
    asked.part === "orchestrator" && asked.text.includes("Tell me a story") && !isConcluding(asked)
      ? { pieces: [told.opened, ...long] }
      : script(asked);
  await page.setViewportSize({ width: 1280, height: 1400 }); // the button is in sight: nobody scrolls to it
  await enter(page, scripted);
  await say(page, "Book a table and a room");
  await field(page, "General: Book a room").fill("Two");
  await page.keyboard.press("Enter");
  await expect(block(page, "Book a room")).toHaveAttribute("data-status", "success");
  await expect(page.getByRole("article", { name: "You", exact: true }).last()).toContainText("Two");
  await expect(page.getByText("An agent waits for you:")).toBeVisible();
  await say(page, "Tell me a story");
  await expect(page.getByRole("article", { name: "You", exact: true }).last()).toContainText("story");
  await ask(page, "General: Book a table").getByRole("button", { name: "Four" }).hover();
  await page.mouse.down();
  told.open();
  await expect(page.getByText("Line 40.")).toBeAttached();
  await page.mouse.up();
  await expect(page.getByText("It is concluded."), "it was pressed, and the log goes on").toBeInViewport();
});

test("who opens an agent before it asks can answer there, by keyboard", async ({ page, scripted, model }) => {
  const thought = gate();
  play(model, create("general", "Book a table"), {
    "Book a table": (asked) => ({ pieces: [thought.opened], ...asks("How many at the table?")(asked) }),
  });
  await enter(page, scripted);
  await say(page, "Book a table");
  await page.getByRole("link", { name: /Look inside General: Book a table/ }).click();
  await expect(inspector(page)).toBeFocused();
  thought.open();
  const answer = inspector(page).getByRole("textbox", { name: "Your answer to General: Book a table" });
  await expect(answer).toBeFocused();
  await page.keyboard.type("Six");
  await page.keyboard.press("Enter");
  await expect(inspector(page).getByRole("region", { name: "Final answer" })).toContainText("Settled: Six");
});

test("who opens an agent that asks can answer there, by keyboard", async ({ page, scripted, model }) => {
  twoBookings(model);
  await enter(page, scripted);
  await say(page, "Book a table and a room");
  await expect(ask(page, "General: Book a table")).toContainText("How many at the table?");
  await page.getByRole("link", { name: "General: Book a table" }).last().click();
  const inside = inspector(page);
  await expect(inside.getByRole("textbox", { name: "Your answer to General: Book a table" })).toBeFocused();
  await expect(inside.getByText("How many at the table?")).toHaveCount(1);
  await expect(block(page, "Book a table").getByRole("textbox")).toHaveCount(0);
  await shot(page, "decide-inspector");
  await page.setViewportSize({ width: 390, height: 800 });
  await shot(page, "decide-inspector-phone");
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.keyboard.type("Six");
  await page.keyboard.press("Enter");
  await expect(inside.getByRole("region", { name: "Final answer" })).toContainText("Settled: Six");
  await expect(block(page, "Book a room")).toHaveAttribute("data-status", "waiting");
});

/** A chief with an editor with two agents, who ask. */
const feast = (model: ScriptedModel) =>
  play(model, create("chief", "Plan a feast"), {
    "Plan a feast": (a) => (results(a) ? done("Planned.") : create("editor", "Divide the feast")),
    "Divide the feast": (a) =>
      results(a) ? done("Divided.") : create("general", "Choose food", "Choose music"),
    "Choose food": asks("Which food?"),
    "Choose music": asks("Which music?"),
  });

test("a question two levels down is answered from the chat, and leads back to all above", async ({
  page,
  scripted,
  model,
}) => {
  feast(model);
  await enter(page, scripted);
  await say(page, "A feast, please");
  const top = block(page, "Plan a feast");
  await expect(top).toContainText("Waits for 3 helpers");
  await top.getByRole("button", { name: "Chief: Plan a feast" }).click();
  await expect(top).toContainText("3 helpers: 1 at work, 2 waiting for you");
  await expect(ask(page, "General: Choose food")).toContainText("Which food?");
  await shot(page, "decide-nested");
  await page.setViewportSize({ width: 390, height: 800 });
  await shot(page, "decide-nested-phone");
  await page.setViewportSize({ width: 1280, height: 800 });
  await field(page, "General: Choose music").fill("Jazz");
  await page.keyboard.press("Enter");
  await expect(top).toContainText("1 waiting for you");
  await field(page, "General: Choose food").fill("Fish");
  await page.keyboard.press("Enter");
  await expect(top).toHaveAttribute("data-status", "success");
  await expect(top).toContainText("3 helpers");
  await expect(top, "150 tokens for each of eight model calls").toContainText("1.2k tokens");
});

test("an agent leads back to all that it works for, and tells who of its helpers wait", async ({
  page,
  scripted,
  model,
}) => {
  feast(model);
  await enter(page, scripted);
  await say(page, "A feast, please");
  await block(page, "Plan a feast").getByRole("link", { name: "General: Choose music" }).click();
  const path = inspector(page).getByRole("navigation", { name: "Who it works for" });
  await expect(path.getByRole("link")).toHaveText(["Plan a feast", "Divide the feast"]);
  await path.getByRole("link", { name: "Divide the feast" }).click();
  await expect(inspector(page)).toContainText("2 helpers wait for you:");
  await expect(inspector(page)).toContainText("With 2 helpers");
  await shot(page, "decide-nested-inspector");
});

test("agents keep their order and their parents, whoever moves last", async ({ page, scripted, model }) => {
  const parent = (name: string) => (a: Asked) =>
    results(a) ? done("Done.") : create("general", `${name} first`, `${name} second`);
  play(model, create("editor", "Left", "Right"), {
    Left: parent("Left"),
    Right: parent("Right"),
    "Left first": asks("Left first?"),
    "Left second": asks("Left second?"),
    "Right first": asks("Right first?"),
    "Right second": asks("Right second?"),
  });
  await enter(page, scripted);
  await say(page, "Both sides");
  const blocks = page.locator("[data-task]");
  await expect(page.locator("[data-ask]")).toHaveCount(4);
  for (const [i, name] of ["Left", "Right"].entries()) {
    const regions = blocks.nth(i).locator("[data-ask]");
    await expect(regions.nth(0)).toContainText(`${name} first?`);
    await expect(regions.nth(1)).toContainText(`${name} second?`);
  }
  await field(page, "General: Left second").fill("Yes");
  await page.keyboard.press("Enter");
  await expect(page.locator("[data-ask]")).toHaveCount(3);
  await page.reload();
  await expect(page.locator("[data-ask]")).toHaveCount(3);
  await expect(blocks.nth(0)).toContainText("Left first?");
  await expect(blocks.nth(1)).toContainText("Right second?");
  await expect(blocks.nth(0)).not.toContainText("Right");
  await shot(page, "decide-order");
});

test("calls are approved and denied in the block, each on its own", async ({ page, scripted, model }) => {
  const order = (item: string) => (a: Asked) =>
    results(a) ? done(String(a.messages.at(-1)?.content)) : { calls: [{ name: "order", args: { item } }] };
  play(model, create("general", "Order tea", "Order pianos"), {
    "Order tea": order("tea"),
    "Order pianos": order("ten pianos"),
  });
  await enter(page, scripted);
  await say(page, "Tea and pianos");
  const tea = ask(page, "General: Order tea");
  const pianos = ask(page, "General: Order pianos");
  await expect(tea).toContainText("item");
  await expect(pianos).toContainText("ten pianos");
  await shot(page, "decide-approvals");
  await pianos.getByRole("textbox", { name: "Reason, if you deny it" }).fill("too loud");
  await pianos.getByRole("button", { name: "Deny" }).press("Enter");
  await expect(pianos).toHaveCount(0);
  await tea.getByRole("button", { name: "Approve" }).press("Enter");
  await expect(group(page)).toContainText("2 of 2 done");
  expect(model.posted.map((p) => p.body)).toEqual(['{"item":"tea"}']);
  await expect(page.getByText("order was denied: too loud")).toBeVisible();
  await expect(page.getByText("order was approved")).toBeVisible();
  await shot(page, "decide-decided");
});

test("a call that the client runs is nobody's here to approve", async ({ page, scripted, model }) => {
  play(model, create("general", "Let them in"), {
    "Let them in": (a) => (results(a) ? done("They are in.") : { calls: [{ name: "open_door", args: {} }] }),
  });
  const chat = await scripted.api<{ id: string }>("POST", "/chats", {
    clientTools: [{ name: "open_door", description: "Opens the door." }],
  });
  await enter(page, scripted, `/chats/${chat.id}`);
  await say(page, "Let them in");
  await expect(block(page, "Let them in")).toContainText("Waits for its client to run");
  await expect(page.getByRole("button", { name: "Approve" })).toHaveCount(0);
  await expect(page).toHaveTitle("Nestor");
});

test.describe("an answer that cannot be sent at once", () => {
  test.use({ provoked: unreachable });

  test("outlasts the page and the server, and is given once", async ({ page, scripted, model }) => {
    twoBookings(model);
    await enter(page, scripted);
    await say(page, "Book a table and a room");
    await field(page, "General: Book a room").fill("Half a th");
    await expect(field(page, "General: Book a table")).toBeVisible();
    for (const part of ["A scripted chat", "How many at the table?", "How many in the room?"]) {
      await expect.poll(() => kept(page)).toContain(part);
    }
    await expect.poll(async () => (await kept(page)).match(/"status":"waiting"/g)).toHaveLength(2);
    await page.evaluate(() => navigator.serviceWorker.ready);
    await scripted.stop("SIGKILL");
    await page.reload();
    await expect(field(page, "General: Book a room")).toHaveValue("Half a th");
    await field(page, "General: Book a room").fill("Half a thousand");
    await page.keyboard.press("Enter");
    await expect(ask(page, "General: Book a room")).toContainText("Sent when the server is back");
    await page.reload();
    await expect(ask(page, "General: Book a room")).toContainText("Half a thousand");
    await shot(page, "decide-offline");
    await scripted.start();
    await expect(block(page, "Book a room")).toHaveAttribute("data-status", "success", { timeout: 20_000 });
    await expect(page.getByRole("log").getByText("Half a thousand", { exact: true })).toHaveCount(1);
    await expect(block(page, "Book a table")).toHaveAttribute("data-status", "waiting");
  });
});

test.describe("an answer that comes too late", () => {
  test.use({ provoked: /status of 409/ });

  test("is refused with the reason, and stays with the person", async ({ page, scripted, model }) => {
    twoBookings(model);
    await enter(page, scripted);
    await say(page, "Book a table and a room");
    await expect(field(page, "General: Book a room")).toBeVisible();
    const chat = new URL(page.url()).pathname.split("/")[2] ?? "";
    await page.route("**/answer", async (route) => {
      await answerBy(scripted, chat, "Book a room", "One, says the other one");
      await route.continue();
    });
    await field(page, "General: Book a room").fill("Nobody, say I");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("alert")).toContainText("you have answered this question before");
    await expect(block(page, "Book a room")).toContainText("Nobody, say I");
    await expect(block(page, "Book a room")).toHaveAttribute("data-status", "success");
    await shot(page, "decide-late");
    await block(page, "Book a room").getByRole("button", { name: "Discard" }).click();
    await expect(page.getByText("Nobody, say I")).toHaveCount(0);
  });
});

interface Waiting {
  id: string;
  instruction: string;
  questionId?: string;
}

/** Answers a question through the API. */
async function answerBy(nestor: Nestor, chat: string, instruction: string, content: string): Promise<void> {
  const { items } = await nestor.api<{ items: Waiting[] }>("GET", `/chats/${chat}/tasks`);
  const task = items.find((t) => t.instruction === instruction);
  await nestor.api("POST", `/chats/${chat}/tasks/${task?.id}/answer`, {
    questionId: task?.questionId,
    content,
  });
}

/** Has the page hide on command, and notes its notifications instead of showing them. */
function watchNotifications(): void {
  const shown: string[] = [];
  const state = { hidden: false, permission: "default", answer: "granted", shown, click: () => {} };
  Object.assign(window, { state });
  Object.defineProperty(document, "visibilityState", { get: () => (state.hidden ? "hidden" : "visible") });
  class Recorder {
    onclick = () => {};
    constructor(title: string, { body }: { body: string }) {
      shown.push(`${title}: ${body}`);
      state.click = () => this.onclick();
    }
    close() {}
    static get permission() {
      return state.permission;
    }
    static async requestPermission() {
      state.permission = state.answer;
      return state.answer;
    }
  }
  Object.assign(window, { Notification: Recorder });
}

interface Watched {
  state: { hidden: boolean; permission: string; answer: string; shown: string[]; click: () => void };
}

const watched = (page: Page) => page.evaluate(() => (window as unknown as Watched).state.shown);

const hide = (page: Page) =>
  page.evaluate(() => {
    (window as unknown as Watched).state.hidden = true;
    document.dispatchEvent(new Event("visibilitychange"));
  });

const bell = (page: Page) => page.getByRole("button", { name: /when an agent waits/ });

test("somebody who looks elsewhere is told once of an agent that waits, if they want that", async ({
  page,
  context,
  scripted,
  model,
}) => {
  await context.addInitScript(watchNotifications);
  twoBookings(model);
  await enter(page, scripted);
  await bell(page).click();
  await expect(bell(page)).toHaveAttribute("aria-pressed", "true");
  const other = await context.newPage();
  await other.goto(`${scripted.url}/new`);
  await other.evaluate(() => {
    (window as unknown as Watched).state.permission = "granted";
  });
  await expect(bell(other)).toBeVisible();
  await say(page, "Book a table and a room");
  await expect(other).toHaveTitle("(2) Nestor");
  expect([...(await watched(page)), ...(await watched(other))], "one tab is looked at").toEqual([]);
  await field(page, "General: Book a room").fill("Two");
  await page.keyboard.press("Enter");
  await ask(page, "General: Book a table").getByRole("button", { name: "Two" }).click();
  await expect(page).toHaveTitle("Nestor");

  await hide(page);
  await hide(other);
  await scripted.api("POST", "/chats", { id: "later" });
  await scripted.api("POST", "/chats/later/tasks", { name: "agent:general", instruction: "Book a room" });
  await expect.poll(async () => [...(await watched(page)), ...(await watched(other))]).toHaveLength(1);
  for (const tab of [page, other]) {
    await expect(tab).toHaveTitle(/^Question · /); // either tab has heard of it by now
  }
  const told = [...(await watched(page)), ...(await watched(other))];
  expect(told).toEqual(["General asks: How many in the room?"]);
  const teller = (await watched(page)).length > 0 ? page : other;
  await teller.evaluate(() => (window as unknown as Watched).state.click());
  await expect(inspector(teller).getByRole("textbox", { name: /Your answer to General/ })).toBeVisible();
});

test("a browser that refuses notifications is told of where the person wanted them", async ({
  page,
  context,
  demo,
}) => {
  await context.addInitScript(watchNotifications);
  await enter(page, demo);
  await page.evaluate(() => {
    (window as unknown as Watched).state.answer = "denied";
  });
  await bell(page).click();
  await expect(page.getByRole("alert")).toContainText("Your browser does not let Nestor tell you.");
  await expect(bell(page)).toHaveAttribute("aria-pressed", "false");
  await shot(page, "decide-denied");
});
