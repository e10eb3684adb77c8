import { type BrowserContext, test as base, expect, type Page } from "@playwright/test";
import { ScriptedModel } from "./model";
import { Nestor } from "./nestor";

interface Fixtures {
  /** A server with the demo model. */
  demo: Nestor;
  /** A model that says what the test wants, and a server that talks to it. */
  model: ScriptedModel;
  scripted: Nestor;
  /** What the console may report, because the test provokes it. Anything else fails the test. */
  provoked: RegExp;
  quiet: undefined;
  /** Makes any browser answer as the newest do. */
  newest: undefined;
}

const nothing = /(?!)/;

/** For tests in which the server is away for a while. */
export const unreachable = /net::ERR_/;
/** For tests in which the server does not know the browser, or not any more. */
export const unauthorised = /status of 401/;

export const test = base.extend<Fixtures>({
  provoked: [nothing, { option: true }],
  quiet: [
    async ({ context, provoked }, use) => {
      const problems: string[] = [];
      watch(context, provoked, problems);
      await use(undefined);
      expect(problems, "what was written to the console").toEqual([]);
    },
    { auto: true },
  ],
  newest: [
    async ({ context }, use) => {
      await context.addInitScript(answerWithPromises);
      await use(undefined);
    },
    { auto: true },
  ],
  demo: async ({ context }, use) => serve(new Nestor({ NESTOR_MODEL: "demo" }), context, use),
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  model: async ({}, use) => {
    const model = new ScriptedModel();
    await model.start();
    await use(model);
    model.stop();
  },
  scripted: async ({ context, model }, use) => {
    const env = {
      NESTOR_MODEL: "openai:scripted",
      OPENAI_BASE_URL: `${model.url}/v1`,
      OPENAI_API_KEY: "none",
      NESTOR_ALLOW_PRIVATE: "true",
    };
    await serve(new Nestor(env, settings(model.url)), context, use);
  },
});

/** Browsers come to answer with a promise where they answered with nothing. The UI must not care. */
function answerWithPromises(): void {
  const names = ["scroll", "scrollTo", "scrollBy", "scrollIntoView", "focus", "blur", "click", "select"];
  const owners = [window, Element.prototype, HTMLElement.prototype, HTMLInputElement.prototype];
  for (const owner of [...owners, HTMLTextAreaElement.prototype] as unknown as Record<string, unknown>[]) {
    for (const name of names.filter((n) => Object.hasOwn(owner, n))) {
      const original = owner[name] as (...args: unknown[]) => unknown;
      owner[name] = function (this: unknown, ...args: unknown[]) {
        return Promise.resolve(original.apply(this, args));
      };
    }
  }
}

/** Runs a server for a test. The browser goes first, so that no page misses it. */
async function serve(nestor: Nestor, context: BrowserContext, use: (nestor: Nestor) => Promise<void>) {
  await nestor.start();
  await use(nestor);
  await context.close();
  await nestor.remove();
}

/** The console of a page that works is empty: libraries write nothing there either. */
function watch(context: BrowserContext, provoked: RegExp, problems: string[]): void {
  context.on("console", (m) => {
    if (!provoked.test(m.text())) {
      problems.push(`${m.type()}: ${m.text()} ${m.location().url}`);
    }
  });
  context.on("weberror", (e) => problems.push(e.error().message));
}

/** A tool that a person has to approve and one that runs once, agents of agents, and a webhook for notes. */
function settings(url: string) {
  const parameters = { type: "object", properties: { item: { type: "string" } }, required: ["item"] };
  const post = { method: "POST", parameters, allowPrivate: true };
  return {
    tools: {
      http: [
        {
          ...post,
          name: "order",
          description: "Orders something.",
          url: `${url}/order`,
          needsApproval: true,
        },
        { ...post, name: "ship", description: "Ships something.", url: `${url}/ship`, effect: "once" },
      ],
    },
    agents: {
      roles: {
        editor: { description: "divides work", instructions: "You divide work.", agents: ["general"] },
        chief: { description: "leads", instructions: "You lead.", agents: ["editor"] },
      },
    },
    triggers: {
      extend: true,
      triggers: [{ id: "on-note", collection: "users/*/notes", action: `${url}/hook` }],
    },
  };
}

/** Makes a user who can sign in. */
export const addUser = (nestor: Nestor, id: string) =>
  nestor.api("POST", "/users", { id, name: id, password: passwordOf(id) });

const passwordOf = (id: string) => `the password of ${id}`;

/** Signs a user in at the page that asks for it. */
export async function signIn(page: Page, id: string, password = passwordOf(id)): Promise<void> {
  await page.getByLabel("Name or e-mail").fill(id);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Opens the UI, signed in, at a path. */
export async function enter(page: Page, nestor: Nestor, path = "/new"): Promise<void> {
  await page.request.get(nestor.entrance);
  await page.goto(nestor.url + path);
}

export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.keyboard.press("Enter");
}

/** Opens the inspector of the task whose instruction is given. */
export async function inspect(page: Page, instruction: string): Promise<void> {
  await page.locator('nav a[href*="/agents/"]', { hasText: instruction }).first().click();
  await expect(inspector(page)).toBeVisible();
}

export const inspector = (page: Page) => page.getByRole("complementary", { name: "Agent inspector" });

/** Whether pictures of what was seen are kept in test-results/shots, for people to look at. */
export const keepsShots = Boolean(process.env.NESTOR_SHOTS);

/** Keeps what was seen, light and dark. */
export async function shot(page: Page, name: string): Promise<void> {
  if (!keepsShots) {
    return;
  }
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const path = `test-results/shots/${name}-${colorScheme}.png`;
    await page.screenshot({ path, animations: "disabled" });
  }
  await page.emulateMedia({ colorScheme: null });
}

export { expect };
