import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";
import type { default as Axe, RunOptions } from "axe-core";
import { expect, keepsShots } from "./fixtures";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const sizes = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];

/**
 * Looks for what keeps people from using the page as it is drawn: contrast, names,
 * structure; in light and dark, on a desktop and a phone. There is nothing that it may find. In the dark the same
 * elements have other colours, so only those are looked at again.
 */
export async function audit(page: Page, where: string): Promise<void> {
  const before = page.viewportSize();
  for (const size of sizes) {
    await page.setViewportSize(size);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const found = await violations(page, colorScheme === "dark" ? colours : undefined);
      if (keepsShots) {
        const path = `test-results/shots/audit-${where.replace(/\W+/g, "-")}-${size.width}-${colorScheme}.png`;
        await page.screenshot({ path, animations: "disabled" });
      }
      expect.soft(found, `${where}, ${size.width} px, ${colorScheme}`).toEqual([]);
    }
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  await page.setViewportSize(before ?? { width: 1280, height: 800 });
}

/** The rules of axe that depend on colours. */
const colours: RunOptions = { runOnly: ["color-contrast", "link-in-text-block"] };

async function violations(page: Page, options: RunOptions = {}): Promise<string[]> {
  await settled(page);
  if (!(await page.evaluate(() => "axe" in window))) {
    await page.evaluate(axe); // through the debugger: the content policy of the page stays as it is
  }
  const result = await page.evaluate(
    (chosen) => (window as unknown as { axe: typeof Axe }).axe.run(document, chosen),
    options,
  );
  return result.violations.flatMap((v) =>
    v.nodes.map(
      (n) => `${v.id}: ${n.target.join(" ")}: ${n.any[0]?.message ?? v.help} ${n.html.slice(0, 160)}`,
    ),
  );
}

/** Waits for colours that are on their way to their end. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    // Colours of another scheme set out in the next frame.
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    await Promise.all(document.getAnimations().map((a) => a.finished.catch(() => {})));
  });
}
