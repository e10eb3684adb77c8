import { enter, expect, shot, test } from "./fixtures";
import { processorTime, scrolled } from "./measure";

const count = 10_000;

test("a chat with 10,000 messages opens quickly and scrolls without gaps", { tag: "@timing" }, async ({
  page,
  demo,
}) => {
  test.setTimeout(180_000);
  const chat = await demo.api<{ id: string; userId: string }>("POST", "/chats", { title: "Long" });
  for (let i = 0; i < count; i += 500) {
    const rows = Array.from({ length: 500 }, (_, j) => ({
      newDocumentState: {
        id: `m${String(i + j).padStart(5, "0")}`,
        userId: chat.userId,
        chatId: chat.id,
        role: "assistant",
        type: "text",
        content: `Message number ${i + j}. `.repeat(1 + ((i + j) % 9)),
        _deleted: false,
      },
    }));
    expect(await demo.api("POST", "/replication/messages/push", rows)).toEqual([]);
  }
  await enter(page, demo, "/new");
  const link = page.getByRole("navigation", { name: "Chats" }).getByRole("link", { name: "Long" });
  await expect(link).toBeVisible();
  const worked = await processorTime(page);
  const before = await worked();
  await link.click();
  await expect(page.getByText(/Message number 99\d\d/).first()).toBeVisible();
  const opening = (await worked()) - before;
  await expect
    .poll(() => page.getByRole("log").evaluate((el) => el.scrollHeight), { timeout: 60_000 })
    .toBeGreaterThan(count * 60);

  await page.reload();
  await expect(page.getByText(/Message number 99\d\d/).first()).toBeVisible();
  await expect
    .poll(() => page.getByRole("log").evaluate((el) => el.scrollHeight), { timeout: 60_000 })
    .toBeGreaterThan(count * 60);
  const { gaps, most } = await scrolled(page.getByRole("log"), { rows: "article", steps: 120, by: -400 });
  console.log(`10,000 messages: the page worked ${Math.round(opening)} ms to open them, ${gaps} gaps of 120`);
  expect(opening).toBeLessThan(4000);
  expect(most, "messages in the page").toBeLessThan(200);
  expect(gaps).toBeLessThan(30);
  await shot(page, "large");
});
