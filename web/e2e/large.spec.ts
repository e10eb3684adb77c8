import type { Page } from "@playwright/test";
import { enter, expect, shot, test } from "./fixtures";

const count = 10_000;

/** How long the page's process had the CPU so far, in milliseconds. */
async function cpuTime(page: Page): Promise<() => Promise<number>> {
  const browser = await page.context().newCDPSession(page);
  await browser.send("Performance.enable");
  return async () => {
    const { metrics } = await browser.send("Performance.getMetrics");
    return 1000 * (metrics.find((m) => m.name === "ProcessTime")?.value ?? Number.NaN);
  };
}

test("a chat with 10,000 messages opens quickly and scrolls without gaps", async ({ page, demo }) => {
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
  const cpu = await cpuTime(page);
  const [began, worked] = [Date.now(), await cpu()];
  await link.click();
  await expect(page.getByText(/Message number 99\d\d/).first()).toBeVisible();
  const [took, busy] = [Date.now() - began, (await cpu()) - worked];
  console.log(`10,000 messages: opened in ${took} ms, of which the page worked ${Math.round(busy)} ms`);
  await expect
    .poll(() => page.getByRole("log").evaluate((el) => el.scrollHeight), { timeout: 60_000 })
    .toBeGreaterThan(count * 60);

  await page.reload();
  await expect(page.getByText(/Message number 99\d\d/).first()).toBeVisible();
  await expect
    .poll(() => page.getByRole("log").evaluate((el) => el.scrollHeight), { timeout: 60_000 })
    .toBeGreaterThan(count * 60);
  const blank = await page.getByRole("log").evaluate(async (log) => {
    const frame = () => new Promise(requestAnimationFrame);
    let empty = 0;
    for (let i = 0; i < 120; i++) {
      log.scrollTop -= 400;
      await frame();
      await frame();
      const box = log.getBoundingClientRect();
      const middle = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
      const rows = [...log.querySelectorAll("article")].map((a) => a.getBoundingClientRect());
      const covered = rows.some((r) => r.bottom > box.top && r.top < box.bottom);
      empty += middle && covered ? 0 : 1;
    }
    return empty;
  });
  console.log(`10,000 messages: ${blank} blank frames of 120 while scrolling`);
  expect(blank).toBe(0);
  await shot(page, "large");
});
