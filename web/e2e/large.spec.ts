import { enter, expect, shot, test } from "./fixtures";

const count = 10_000;

test("a chat with 10,000 messages opens quickly and scrolls without gaps", async ({ page, demo }) => {
  test.setTimeout(180_000);
  const chat = await demo.api<{ id: string; userId: string }>("POST", "/chats", { title: "Long" });
  for (let i = 0; i < count; i += 100) {
    const batch = Array.from({ length: 100 }, (_, j) => {
      const id = `m${String(i + j).padStart(5, "0")}`;
      return demo.api("PUT", `/docs/users/${chat.userId}/orch-chats/${chat.id}/messages/${id}`, {
        role: "assistant",
        type: "text",
        content: `Message number ${i + j}. `.repeat(1 + ((i + j) % 9)),
      });
    });
    await Promise.all(batch);
  }
  await enter(page, demo, "/new");
  const link = page.getByRole("navigation", { name: "Chats" }).getByRole("link", { name: "Long" });
  await expect(link).toBeVisible();
  const began = Date.now();
  await link.click();
  await expect(page.getByText(/Message number 99\d\d/).first()).toBeVisible();
  const took = Date.now() - began;
  console.log(`10,000 messages: opened in ${took} ms`);
  expect(took).toBeLessThan(1000);
  await expect
    .poll(() => page.getByRole("log").evaluate((el) => el.scrollHeight), { timeout: 60_000 })
    .toBeGreaterThan(count * 60);

  await page.goto(`${demo.url}/new`);
  await link.click();
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
