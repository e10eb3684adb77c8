import type { Page } from "@playwright/test";
import { addUser, enter, expect, say, shot, signIn, test, unauthorised } from "./fixtures";
import { scrolled } from "./measure";
import type { Nestor } from "./nestor";

const chats = (page: Page) => page.getByRole("navigation", { name: "Chats" });
const link = (page: Page, name: string) => chats(page).getByRole("link", { name, exact: true });

/** Chooses something in the menu of a chat. */
async function choose(page: Page, title: string, item: string): Promise<void> {
  await link(page, title).hover();
  await page.getByRole("button", { name: `More about ${title}` }).click();
  await page.getByRole("menuitem", { name: item }).click();
}

/** Writes a document as the server would have. */
const push = (nestor: Nestor, collection: string, documents: Record<string, unknown>[]) =>
  nestor.api<unknown[]>(
    "POST",
    `/replication/${collection}/push`,
    documents.map((d) => ({ newDocumentState: { userId: "local", _deleted: false, ...d } })),
  );

test("agents stand below their own parents, in the order of creation", async ({ page, demo }) => {
  await demo.api("POST", "/chats", { id: "c", title: "Family" });
  const path = (id: string) => `users/local/orch-chats/c/tasks/${id}`;
  const task = (instruction: string, id: string, parent = "") => ({
    type: "agent",
    name: "agent:general",
    instruction,
    status: "success",
    subAgentId: `a-${id}`,
    ...(parent && { parentAgentId: `a-${parent}`, depth: 1 }),
  });
  demo.imports({
    [path("p1")]: task("First parent", "p1"),
    [path("p2")]: task("Second parent", "p2"),
    [path("k1")]: task("Child of the second", "k1", "p2"),
    [path("k2")]: task("Child of the first", "k2", "p1"),
    [path("k3")]: task("Another of the second", "k3", "p2"),
    [path("k4")]: task("Another of the first", "k4", "p1"),
  });
  await enter(page, demo, "/chats/c");
  const titles = chats(page).locator('a[href*="/agents/"]');
  const order = [
    ...["First parent", "Child of the first", "Another of the first"],
    ...["Second parent", "Child of the second", "Another of the second"],
  ];
  await expect(titles).toHaveText(order);
  const left = async (text: string) => (await titles.filter({ hasText: text }).boundingBox())?.x ?? 0;
  expect(await left("Child of the first")).toBeGreaterThan(await left("First parent"));
  await shot(page, "sidebar-tree");

  // What is updated stays where it is.
  await demo.api("POST", "/chats/c/tasks/k1/cancel");
  await page.reload();
  await expect(titles).toHaveText(order);

  await page.getByRole("button", { name: "Hide the helpers of First parent" }).click();
  await expect(titles).toHaveText(["First parent", ...order.slice(3)]);
  await page.reload();
  await expect(titles).toHaveText(["First parent", ...order.slice(3)]);

  // With the arrow keys, of which Right shows what is hidden.
  await titles.first().focus();
  await page.keyboard.press("ArrowRight");
  await expect(titles).toHaveText(order);
  await page.keyboard.press("ArrowDown");
  await expect(titles.nth(1)).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await expect(link(page, "Family")).toBeFocused();
  await expect(chats(page).locator('a[tabindex="0"]')).toHaveCount(1);
});

test.describe("of somebody who signs in", () => {
  test.use({ provoked: unauthorised });

  test("chats are pinned, renamed and filed, by each person for themselves", async ({
    page,
    demo,
    browser,
  }) => {
    await addUser(demo, "ada");
    for (const title of ["Alpha", "Beta", "Gamma"]) {
      await demo.api("POST", "/chats?user=ada", { id: title.toLowerCase(), title });
    }
    await page.goto(demo.url);
    await signIn(page, "ada");
    await expect(chats(page).getByRole("button", { name: "Today" })).toBeVisible();
    await choose(page, "Alpha", "Pin");
    await expect(chats(page).getByRole("button", { name: "Pinned" })).toBeVisible();
    await choose(page, "Beta", "Move to a folder…");
    await page.getByRole("combobox", { name: "Folder" }).or(page.getByLabel("Folder")).fill("Work");
    await page.keyboard.press("Enter");
    await expect(chats(page).getByRole("button", { name: "Work" })).toBeVisible();
    await choose(page, "Gamma", "Rename");
    await page.getByLabel("New title").fill("Delta");
    await page.keyboard.press("Enter");
    await expect(chats(page).locator('a[href^="/chats/"]')).toHaveText(["Alpha", "Beta", "Delta"]);
    await shot(page, "sidebar-groups");

    // A group is hidden in this browser; pins and folders are there in any other.
    await chats(page).getByRole("button", { name: "Today" }).click();
    await expect(link(page, "Delta")).toBeHidden();
    await page.reload();
    await expect(link(page, "Alpha")).toBeVisible();
    await expect(link(page, "Delta")).toBeHidden();
    const elsewhere = await browser.newContext();
    const other = await elsewhere.newPage();
    await other.goto(demo.url);
    await signIn(other, "ada");
    await expect(chats(other).locator('a[href^="/chats/"]')).toHaveText(["Alpha", "Beta", "Delta"]);
    await expect(chats(other).getByRole("button", { name: "Work" })).toBeVisible();
    await elsewhere.close();
  });

  test("a chat is unread until it is seen, on any device, and says when it is at work or waits", async ({
    page,
    scripted,
    model,
    browser,
  }) => {
    let answer = () => {};
    model.script = ({ part, text }) => {
      if (part === "writer" || !text.includes("wait for it")) {
        return { pieces: ["Hello."] };
      }
      return { pieces: [new Promise<void>((resolve) => (answer = resolve)), "Here."] };
    };
    await addUser(scripted, "ada");
    await page.goto(scripted.url);
    await signIn(page, "ada");
    await say(page, "First");
    await expect(page.getByRole("article", { name: "Nestor", exact: true })).toHaveCount(1);
    const first = page.url();
    await page.getByRole("link", { name: "New chat" }).first().click();
    await expect(page).toHaveURL(/\/new/);
    await say(page, "Please wait for it");
    await expect(page).toHaveURL(/\/chats\//);
    const slow = new URL(page.url()).pathname;
    await page.goto(first);
    const row = chats(page)
      .getByRole("listitem")
      .filter({ has: page.locator(`a[href="${slow}"]`) });
    await expect(row.getByRole("img", { name: "Running" })).toBeVisible();
    await shot(page, "sidebar-marks");
    answer();
    await expect(row.getByRole("img", { name: "Unread" })).toBeVisible();
    await row.getByRole("link").first().click();
    await expect(page.getByRole("article", { name: "Nestor", exact: true })).toContainText("Here.");
    const id = slow.split("/").at(-1);
    await expect
      .poll(async () => {
        const [chat, mark] = await Promise.all([
          scripted.api<{ updatedAt: number }>("GET", `/chats/${id}?user=ada`),
          scripted
            .api<{ seenAt?: number }>("GET", `/docs/users/ada/chat-marks/${id}`)
            .catch(() => ({ seenAt: 0 })),
        ]);
        return (mark.seenAt ?? 0) >= chat.updatedAt;
      })
      .toBe(true);
    await page.goto(first);
    await expect(row.getByRole("link").first()).toBeVisible();
    await expect(row.getByRole("img", { name: "Unread" })).toHaveCount(0);
    const elsewhere = await browser.newContext();
    const other = await elsewhere.newPage();
    await other.goto(first);
    await signIn(other, "ada");
    const there = chats(other)
      .getByRole("listitem")
      .filter({ has: other.locator(`a[href="${slow}"]`) });
    await expect(there.getByRole("link").first()).toBeVisible();
    await expect(there.getByRole("img", { name: "Unread" })).toHaveCount(0);
    await elsewhere.close();
  });
});

test("the side bar is resized and hidden, and stays so", async ({ page, demo }) => {
  await enter(page, demo);
  const bar = page.getByRole("complementary", { name: "Chats" });
  const edge = page.getByRole("separator", { name: "Width of the side bar" });
  const width = async () => Math.round((await bar.boundingBox())?.width ?? 0);
  await expect.poll(width).toBe(288);
  await edge.focus();
  await page.keyboard.press("ArrowRight");
  await expect.poll(width).toBe(304);
  const box = await edge.boundingBox();
  await page.mouse.move((box?.x ?? 0) + 4, 300);
  await page.mouse.down();
  await page.mouse.move(400, 300);
  await page.mouse.up();
  await expect.poll(width).toBe(400);
  await page.reload();
  await expect(bar).toBeVisible();
  await expect.poll(width).toBe(400);
  await page.getByRole("button", { name: "Hide the side bar" }).click();
  await expect.poll(width).toBe(48);
  await page.reload();
  await page.getByRole("button", { name: "Show the side bar" }).click();
  await expect.poll(width).toBe(400);
});

test("on a phone it is a drawer in which everything can be touched", async ({ browser, demo }) => {
  await demo.api("POST", "/chats", { id: "c", title: "A chat" });
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const page = await context.newPage();
  await enter(page, demo);
  await page.getByRole("button", { name: "Open the menu" }).tap();
  const more = page.getByRole("button", { name: "More about A chat" });
  await expect(more).toHaveCSS("opacity", "1");
  for (const target of [more, link(page, "A chat"), page.getByRole("link", { name: "New chat" })]) {
    expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(36);
  }
  await more.tap();
  await expect(page.getByRole("menuitem", { name: "Pin" })).toBeVisible();
  await shot(page, "sidebar-phone");
  await page.getByRole("menuitem", { name: "Pin" }).tap();
  await expect(chats(page).getByRole("button", { name: "Pinned" })).toBeVisible();
  await context.close();
});

test("2,000 chats are a list of which little is drawn", { tag: "@timing" }, async ({ page, demo }) => {
  test.setTimeout(120_000);
  for (let i = 0; i < 2000; i += 500) {
    const rows = Array.from({ length: 500 }, (_, j) => ({ id: `c${i + j}`, title: `Chat ${i + j}` }));
    expect(await push(demo, "chats", rows)).toEqual([]);
  }
  await enter(page, demo);
  await expect(link(page, "Chat 1999")).toBeVisible();
  await expect.poll(() => chats(page).evaluate((el) => el.scrollHeight)).toBeGreaterThan(2000 * 30);
  const { gaps, most } = await scrolled(chats(page), { rows: "li", steps: 60, by: 400 });
  expect(most, "chats in the page").toBeLessThan(100);
  expect(gaps).toBeLessThan(15);
});

test("a person's marks are not another's", async ({ page, demo, browser }) => {
  await addUser(demo, "ada");
  await demo.api("POST", "/chats", { id: "c", title: "Mine" });
  await enter(page, demo);
  await choose(page, "Mine", "Pin");
  await expect(chats(page).getByRole("button", { name: "Pinned" })).toBeVisible();
  const context = await browser.newContext();
  const other = await context.newPage();
  await other.goto(demo.url);
  await signIn(other, "ada");
  await expect(other.getByText("Your chats will be here.")).toBeVisible();
  await context.close();
});
