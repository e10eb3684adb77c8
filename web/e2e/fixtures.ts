import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, test as base, expect, type Page } from "@playwright/test";
import { ScriptedModel } from "./model";
import { Nestor } from "./nestor";

interface Fixtures {
  /** A server with the demo model. */
  demo: Nestor;
  /** A model that says what the test wants, and a server that talks to it. */
  model: ScriptedModel;
  scripted: Nestor;
  /** Fails the test when a page of it reports an error. */
  quiet: undefined;
}

/** What browsers report although nothing is wrong: requests while a test has stopped the server. */
const expected = /net::ERR_|Failed to load resource|401/;

export const test = base.extend<Fixtures>({
  quiet: [
    async ({ context }, use) => {
      const problems: string[] = [];
      watch(context, problems);
      await use(undefined);
      expect(problems, "errors in the console").toEqual([]);
    },
    { auto: true },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  demo: async ({}, use) => {
    const nestor = new Nestor({ NESTOR_MODEL: "demo" });
    await nestor.start();
    await use(nestor);
    await nestor.remove();
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  model: async ({}, use) => {
    const model = new ScriptedModel();
    await model.start();
    await use(model);
    model.stop();
  },
  scripted: async ({ model }, use) => {
    const env = {
      NESTOR_MODEL: "openai:scripted",
      OPENAI_BASE_URL: `${model.url}/v1`,
      OPENAI_API_KEY: "none",
      NESTOR_ALLOW_PRIVATE: "true",
    };
    const nestor = new Nestor(env, ["--tools", orderTool(model.url)]);
    await nestor.start();
    await use(nestor);
    await nestor.remove();
  },
});

function watch(context: BrowserContext, problems: string[]): void {
  context.on("console", (m) => {
    if (m.type() === "error" && !expected.test(m.text())) {
      problems.push(m.text());
    }
  });
  context.on("weberror", (e) => problems.push(e.error().message));
}

/** A tools file with something that a person has to approve. */
function orderTool(url: string): string {
  const file = join(tmpdir(), `nestor-tools-${process.pid}.json`);
  const tool = {
    name: "order",
    description: "Orders something.",
    method: "POST",
    url: `${url}/order`,
    parameters: { type: "object", properties: { item: { type: "string" } }, required: ["item"] },
    needsApproval: true,
    allowPrivate: true,
  };
  writeFileSync(file, JSON.stringify({ http: [tool] }));
  return file;
}

/** Opens the UI, signed in, at a path. */
export async function enter(page: Page, nestor: Nestor, path = "/new"): Promise<void> {
  await page.goto(nestor.entrance);
  await page.goto(nestor.url + path);
}

export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.keyboard.press("Enter");
}

/** Opens the inspector of the task whose instruction is given. */
export async function inspect(page: Page, instruction: string): Promise<void> {
  await page.locator('nav a[href*="/agents/"]', { hasText: instruction }).first().click();
  await expect(page.getByRole("complementary", { name: "Agent inspector" })).toBeVisible();
}

export const inspector = (page: Page) => page.getByRole("complementary", { name: "Agent inspector" });

/** Keeps what was seen, for people to look at. */
export const shot = (page: Page, name: string) => page.screenshot({ path: `test-results/shots/${name}.png` });

export { expect };
