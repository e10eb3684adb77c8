import type { Page } from "@playwright/test";
import { isConcluding } from "./agents";
import { enter, expect, inspector, say, shot, test } from "./fixtures";
import { type Asked, gate, type Reply, type ScriptedModel } from "./model";

interface Order {
  title: string;
  instruction: string;
  deliver?: "answer" | "return";
}

const done = (answer: string): Reply => ({ calls: [{ name: "final_answer", args: { answer } }] });
const start = (said: string, ...orders: Order[]): Reply => ({
  pieces: [said],
  calls: orders.map((order) => ({ name: "create_agent", args: { type: "general", ...order } })),
});
const told = ({ messages }: Asked) => String(messages.find((m) => m.role === "user")?.content);

/** The orchestrator starts agents, who do what their instruction says, and concludes. */
function play(
  model: ScriptedModel,
  first: Reply,
  agent: (instruction: string, asked: Asked) => Reply,
  conclude: (asked: Asked) => Reply = () => ({ pieces: ["The conclusion."] }),
): void {
  model.script = (asked) =>
    asked.part === "agent" ? agent(told(asked), asked) : isConcluding(asked) ? conclude(asked) : first;
}

const log = (page: Page) => page.getByRole("log");
const rows = (page: Page) => page.locator("[data-task]");
const row = (page: Page, title: string) => rows(page).filter({ hasText: title });
const answer = (page: Page) => page.getByRole("article", { name: "Nestor", exact: true });
const header = (page: Page) => log(page).getByRole("button", { name: /of \d+ done/ });
const opener = (page: Page, title: string) => log(page).getByRole("button", { name: `General: ${title}` });

const many = (n: number): Order[] =>
  Array.from({ length: n }, (_, i) => ({
    title: `Look at house ${i + 1}`,
    instruction: `Find out about house ${i + 1} all that can be known`,
  }));

test.describe("twenty agents", () => {
  test.use({ viewport: { width: 1280, height: 900 } });

  test("fit on a screen while they work, and in one line when they are done", async ({
    page,
    scripted,
    model,
  }) => {
    const held = gate();
    play(model, start("I have all of them looked at.", ...many(20)), (instruction) => ({
      pieces: ["Walking through the rooms", held.opened],
      ...done(`All about ${instruction.split(" ")[4]}.`),
    }));
    await enter(page, scripted);
    await say(page, "Which house is best?");
    await expect(rows(page)).toHaveCount(20);
    await expect(header(page)).toContainText("0 of 20 done");
    await expect(rows(page).getByText("Walking through the rooms").first()).toBeVisible();
    await expect(rows(page).first()).toContainText("Look at house 1");
    await expect(log(page)).not.toContainText("all that can be known");
    await expect(rows(page).first()).toBeInViewport({ ratio: 1 });
    await expect(rows(page).last()).toBeInViewport({ ratio: 1 });
    const heights = await rows(page).evaluateAll((all) => all.map((el) => el.getBoundingClientRect().height));
    expect(Math.max(...heights) - Math.min(...heights), "rows are alike").toBeLessThanOrEqual(1);
    await shot(page, "group-twenty");
    held.open();
    await expect(answer(page).last()).toContainText("The conclusion.");
    await expect(header(page)).toContainText("20 of 20 done");
    await expect(header(page)).toHaveAttribute("aria-expanded", "false");
    await expect(rows(page)).toHaveCount(0);
    await shot(page, "group-twenty-done");
  });
});

test("what agents brought stands with each of them, and the conclusion below, once", async ({
  page,
  scripted,
  model,
}) => {
  const held = gate();
  const last = gate();
  play(
    model,
    start("I look both up.", ...many(2)),
    (instruction) =>
      instruction.includes("house 2") ? { pieces: [held.opened], ...done("Red roof.") } : done("Blue door."),
    () => ({ pieces: [last.opened, "The second is better."] }),
  );
  await enter(page, scripted);
  await say(page, "Compare the houses");
  await expect(header(page)).toContainText("1 of 2 done");
  await expect(header(page)).toHaveAttribute("aria-expanded", "true");
  await expect(log(page).getByText("Blue door.")).toHaveCount(0);
  await opener(page, "Look at house 1").click();
  await expect(log(page).getByText("Blue door.")).toHaveCount(1);
  await shot(page, "group-opened");
  held.open();
  await expect(page.getByRole("status").filter({ hasText: "Waiting for scripted" })).toBeVisible();
  await expect(header(page), "what a person opened stays open").toHaveAttribute("aria-expanded", "true");
  last.open();
  await expect(log(page).getByText("The second is better.")).toHaveCount(1);
  await expect(log(page).getByText("Blue door.")).toHaveCount(1);
  await header(page).click();
  await expect(log(page).getByText("Blue door.")).toHaveCount(0);
  await page.reload();
  await expect(log(page).getByText("The second is better.")).toHaveCount(1);
  await expect(header(page)).toHaveAttribute("aria-expanded", "false");
  await expect(answer(page)).toHaveText([/I look both up/, /The second is better/]);
  await header(page).click();
  await opener(page, "Look at house 2").click();
  await expect(log(page).getByText("Red roof.")).toHaveCount(1);
});

test("the result of the only agent is the answer, once, and agents that follow join the group", async ({
  page,
  scripted,
  model,
}) => {
  play(
    model,
    start("I look it up first.", { title: "Facts about bees", instruction: "Find facts", deliver: "return" }),
    (instruction) => done(instruction.startsWith("Find") ? "Bees dance." : "They dance and hum."),
    () => start("Now the poem.", { title: "A poem", instruction: "Write a poem", deliver: "answer" }),
  );
  await enter(page, scripted);
  await say(page, "Write a poem about bees");
  await expect(log(page).getByText("They dance and hum.")).toHaveCount(1);
  await expect(header(page)).toHaveCount(1);
  await expect(header(page)).toContainText("2 of 2 done");
  await expect(answer(page)).toHaveText([/I look it up first/, /Now the poem/, /They dance and hum/]);
  await expect(log(page).getByText("Bees dance.")).toHaveCount(0);
  await header(page).click();
  await opener(page, "Facts about bees").click();
  await expect(log(page).getByText("Bees dance.")).toHaveCount(1);
  await shot(page, "group-chain");
  await page.getByRole("link", { name: "Look inside General: A poem" }).click();
  await expect(inspector(page).getByRole("heading", { name: "A poem" })).toBeVisible();
});

test("what could not be done is told as that, with the reason, and can be tried again", async ({
  page,
  scripted,
  model,
}) => {
  let locked = true;
  play(
    model,
    start("Somebody opens it.", { title: "Open the door", instruction: "Open it now" }),
    () =>
      locked
        ? { calls: [{ name: "final_answer", args: { answer: "It is locked.", outcome: "could_not" } }] }
        : done("It is open."),
    () => ({ pieces: ["Who has the key?"] }),
  );
  await enter(page, scripted);
  await say(page, "Open the door");
  await expect(answer(page).last()).toContainText("Who has the key?");
  await expect(rows(page)).toContainText("Could not: It is locked.");
  await expect(rows(page).getByRole("img", { name: "Could not" })).toBeVisible();
  await expect(log(page).getByText("It is locked."), "it is said once").toHaveCount(1);
  await expect(page.getByRole("alert")).toHaveCount(0);
  await expect(page.getByText("Failed")).toHaveCount(0);
  await shot(page, "group-could-not");
  locked = false;
  await rows(page).getByRole("button", { name: "Try again" }).click();
  await expect(log(page).getByText("It is open.")).toHaveCount(1);
  await expect(rows(page)).toHaveAttribute("data-status", "success");
});

test("an agent that failed says why in its line, and is tried again there", async ({
  page,
  scripted,
  model,
}) => {
  let broken = true;
  play(model, start("I look both up.", ...many(2)), (instruction) =>
    broken && instruction.includes("house 2") ? { status: 400 } : done("A house."),
  );
  await enter(page, scripted);
  await say(page, "Compare the houses");
  await expect(answer(page).last()).toContainText("The conclusion.");
  await expect(header(page)).toContainText("1 of 2 done");
  await expect(header(page)).toContainText("1 failed");
  const failed = row(page, "Look at house 2");
  await expect(failed.getByRole("alert")).toContainText("this model refuses");
  await expect(page.getByRole("alert"), "it is said once").toHaveCount(1);
  await shot(page, "group-failed");
  broken = false;
  await failed.getByRole("button", { name: "Try again" }).click();
  await expect(header(page)).toContainText("2 of 2 done");
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("an answer that breaks off stays as far as it came, and is tried again in its place", async ({
  page,
  scripted,
  model,
}) => {
  const held = gate();
  model.script = () => ({ pieces: ["Half of the", held.opened], breaks: true });
  await enter(page, scripted);
  await say(page, "Tell me");
  await expect(page.getByRole("article", { name: "Nestor is writing" })).toContainText("Half of the");
  model.script = () => ({ status: 400 });
  held.open();
  const half = answer(page).filter({ hasText: "Half of the" });
  await expect(half).toContainText("It broke off here.");
  await expect(page.getByRole("alert")).toContainText("this model refuses");
  await expect(half).toBeVisible();
  await shot(page, "broken-off");
  model.script = () => ({ pieces: ["All of it."] });
  await say(page, "Once more");
  await expect(log(page).getByText("All of it.")).toBeVisible();
  const text = (await log(page).textContent()) ?? "";
  expect(text).toMatch(/Tell me.*Half of the.*this model refuses.*Once more.*All of it/s);
  const original = page.url();
  await log(page).getByRole("button", { name: "Try again" }).click();
  await expect(page).not.toHaveURL(original);
  await expect(log(page).getByText("All of it.")).toHaveCount(1);
});

test("the orchestrator's own calls stand between the question and the answer", async ({
  page,
  scripted,
  model,
}) => {
  const held = gate();
  model.script = ({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? { pieces: [held.opened, "It is 42."] }
      : { pieces: ["I calculate."], calls: [{ name: "calculator", args: { expression: "6*7" } }] };
  await enter(page, scripted);
  await say(page, "What is 6*7?");
  const calls = page.getByRole("article", { name: "Tool calls" });
  await expect(calls).toContainText("calculator");
  await expect(page.getByRole("status").filter({ hasText: "Waiting for scripted" })).toBeVisible();
  await shot(page, "own-calls");
  held.open();
  await expect(answer(page)).toContainText("It is 42.");
  const text = (await log(page).textContent()) ?? "";
  const places = ["What is 6*7?", "I calculate.", "calculator", "It is 42."].map((t) => text.indexOf(t));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
  await expect(calls.getByText("6*7")).toBeHidden();
  await calls.getByText("calculator").click();
  await expect(calls.getByText("6*7")).toBeVisible();
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test("an agent is one line, and nothing is wider than the screen", async ({ page, scripted, model }) => {
    const held = gate();
    play(model, start("I look all up.", ...many(4)), (instruction) =>
      instruction.includes("house 1 ")
        ? done("A house.")
        : instruction.includes("house 2 ")
          ? { calls: [{ name: "ask_user", args: { question: "Which side?" } }] }
          : { pieces: ["Walking through all of the many rooms of it", held.opened] },
    );
    await enter(page, scripted);
    await say(page, "Compare the houses");
    await expect(header(page)).toContainText("1 waiting for you");
    await expect(row(page, "house 3")).toContainText("Walking");
    await shot(page, "group-phone");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(wide).toBeLessThanOrEqual(0);
    expect(await row(page, "house 3").evaluate((el) => el.getBoundingClientRect().height)).toBeLessThan(44);
    await header(page).tap(); // who waits for the person stays in sight
    await expect(rows(page)).toHaveCount(1);
    await expect(rows(page)).toContainText("Which side?");
    await shot(page, "group-phone-folded");
    held.open();
  });
});

test("a chat of an older version is told by the first words, and its reports stand as they were", async ({
  page,
  demo,
}) => {
  const chat = await demo.api<{ id: string; userId: string }>("POST", "/chats", { title: "Old" });
  const at = `users/${chat.userId}/orch-chats/${chat.id}`;
  const ids = { userId: chat.userId, chatId: chat.id };
  const task = (instruction: string, result: string) => ({
    ...ids,
    type: "agent",
    name: "agent:general",
    instruction,
    status: "success",
    result,
    triggerMessageId: "asked",
    startedAt: 1000,
    endedAt: 3000,
  });
  const create = {
    id: "k",
    type: "function",
    function: { name: "create_agent", arguments: '{"type":"general","instruction":"Find"}' },
  };
  demo.imports({
    [`${at}/messages/asked`]: { ...ids, role: "user", content: "Tell me of bees and ants" },
    [`${at}/messages/reply`]: {
      ...ids,
      role: "assistant",
      content: "I look both up.",
      repliesTo: "asked",
      toolCalls: [create],
    },
    [`${at}/tasks/t1`]: task(`Find out about bees ${"and much else ".repeat(20)}`, "Bees dance."),
    [`${at}/tasks/t2`]: task("Find out about ants", "Ants march."),
    [`${at}/messages/r1`]: { ...ids, role: "assistant", content: "As I hear, bees dance.", taskId: "t1" },
    [`${at}/messages/r2`]: { ...ids, role: "assistant", content: "With that, both are done.", taskId: "t2" },
  });
  await enter(page, demo, `/chats/${chat.id}`);
  await expect(answer(page)).toHaveText([/I look both up/, /As I hear, bees dance/, /both are done/]);
  await expect(header(page)).toContainText("2 of 2 done");
  await header(page).click();
  await expect(rows(page).first()).toContainText(/Find out about bees and much else .*…/);
  await opener(page, "Find out about ants").click();
  await expect(log(page).getByText("Ants march.")).toHaveCount(1);
  await shot(page, "group-old");
});
