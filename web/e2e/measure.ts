import type { Locator, Page } from "@playwright/test";

/**
 * Has the page's process count how long it had a processor, and returns how to read that, in milliseconds. Unlike the
 * time that passes, it is the same whatever else the machine does.
 */
export async function processorTime(page: Page): Promise<() => Promise<number>> {
  const browser = await page.context().newCDPSession(page);
  await browser.send("Performance.enable");
  return async () => {
    const { metrics } = await browser.send("Performance.getMetrics");
    const seconds = metrics.find((m) => m.name === "ProcessTime")?.value;
    if (seconds === undefined) {
      throw new Error("the browser does not tell how long the page worked");
    }
    return 1000 * seconds;
  };
}

interface Scroll {
  /** The rows of the list. */
  rows: string;
  steps: number;
  by: number;
}

/**
 * Scrolls a list step by step and returns how many rows were drawn at most, and how often its middle was empty two
 * frames after a step. A gap that is not filled within a second's frames fails: then the row never comes.
 */
export const scrolled = (
  list: Locator,
  { rows, steps, by }: Scroll,
): Promise<{ gaps: number; most: number }> =>
  list.evaluate(
    async (box, { rows, steps, by }) => {
      const frame = () => new Promise(requestAnimationFrame);
      const covered = () => {
        const { top, bottom } = box.getBoundingClientRect();
        const middle = (top + bottom) / 2;
        return [...box.querySelectorAll(rows)].some((row) => {
          const at = row.getBoundingClientRect();
          // Between rows there may be some space.
          return at.top - 24 <= middle && at.bottom + 24 >= middle;
        });
      };
      let [gaps, most] = [0, 0];
      for (let step = 0; step < steps; step++) {
        const before = box.scrollTop;
        box.scrollTop += by;
        if (box.scrollTop === before) {
          throw new Error(`it could not be scrolled further at step ${step}`);
        }
        await frame();
        await frame();
        gaps += covered() ? 0 : 1;
        for (let frames = 0; !covered(); frames++) {
          if (frames > 60) {
            throw new Error(`nothing was drawn at step ${step}, ${box.scrollTop} px from the top`);
          }
          await frame();
        }
        most = Math.max(most, box.querySelectorAll(rows).length);
      }
      return { gaps, most };
    },
    { rows, steps, by },
  );
