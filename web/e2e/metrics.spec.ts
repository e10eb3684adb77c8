import { enter, expect, shot, test } from "./fixtures";

test("metrics are looked at by time, group and percentile", async ({ page, demo }) => {
  const hour = 3_600_000;
  const now = Date.now();
  const points = Array.from({ length: 200 }, (_, i) => ({
    name: "parcel.duration_ms",
    dimensions: { carrier: ["bike", "lorry", "drone"][i % 3] },
    value: 200 + (i % 3) * 700 + 3 * i,
    at: now - Math.floor((i / 200) * 20 * hour),
  }));
  for (const value of [5, 7]) {
    points.push({ name: "parcel.weight", dimensions: { carrier: "ship" }, value, at: now - 3 * 24 * hour });
  }
  await demo.api("POST", "/metrics/points", { points });
  await enter(page, demo, "/operations/metrics");

  await page.getByLabel("Metric").selectOption("parcel.duration_ms");
  await expect(page.getByRole("img", { name: "parcel.duration_ms over time" })).toBeVisible();
  const last = page.locator("tbody tr td:last-child");
  await expect
    .poll(async () => (await last.allTextContents()).reduce((sum, n) => sum + Number(n), 0))
    .toBe(200);

  await page.getByLabel("Group by").selectOption("carrier");
  await page.getByLabel("Measure").selectOption("p95");
  await expect(page.getByText("drone · p95")).toBeVisible();
  await expect(page.getByText("Percentiles are within 1%")).toBeVisible();
  for (const [carrier, tookAbout] of [
    ["bike", /^(2\d\d|[3-7]\d\d) ms$/],
    ["drone", /^(1\.[6-9]\d*|2(\.[0-2]\d*)?) s$/],
  ] as const) {
    const cells = page.locator("tbody tr", { hasText: carrier }).locator("td:last-child");
    for (const text of await cells.allTextContents()) {
      expect(text).toMatch(tookAbout);
    }
    await expect(cells).not.toHaveCount(0);
  }
  await expect(page.getByRole("img").locator("path")).toHaveCount(3);
  await shot(page, "metrics");
  await page.setViewportSize({ width: 375, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(375);
  await shot(page, "metrics-phone");

  // What is older is out of sight until more time is asked for.
  await page.getByLabel("Metric").selectOption("parcel.weight");
  await expect(page.getByText("Nothing was measured in this time.")).toBeVisible();
  await page.getByText("Week", { exact: true }).click();
  await page.getByLabel("Measure").selectOption("sum");
  await expect(last).toHaveText(["12"]);

  // The runtime's own, of all users.
  await demo.api("POST", "/chats", { id: "c1" });
  await demo.api("POST", "/chats/c1/messages", { content: "Hello" });
  await expect
    .poll(async () => JSON.stringify(await demo.api("GET", "/metrics/server/names")))
    .toContain("nestor.job");
  await page.getByText("All users").click();
  await page.getByLabel("Metric").selectOption("nestor.job.duration_ms");
  await page.getByLabel("Group by").selectOption("outcome");
  await expect(page.getByRole("cell", { name: "done", exact: true }).first()).toBeVisible();
});
