import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, say, test as scripted } from "./fixtures";

interface Behind {
  /** Where the browser finds the server, without a slash at the end. */
  url: string;
  /** The link that signs one browser in. */
  entrance: string;
}

/** A server below /agents of an nginx with its own defaults. */
const test = scripted.extend<{ behind: Behind }>({
  behind: async ({ context, model }, use) => {
    const folder = mkdtempSync(join(tmpdir(), "nestor-nginx-"));
    const data = join(folder, "data");
    mkdirSync(data);
    // nginx inherits the socket, so nobody else can take the port before it runs.
    const socket = createServer().listen(0, "127.0.0.1");
    await once(socket, "listening");
    const address = `127.0.0.1:${(socket.address() as AddressInfo).port}`;
    const url = `http://${address}/agents`;
    const nestor = spawn(
      process.env.NESTOR_BIN ?? "nestor",
      ["serve", "--data", data, "--addr", "127.0.0.1:0", "--public-url", url],
      {
        env: {
          PATH: process.env.PATH,
          HOME: data,
          NESTOR_MODEL: "openai:scripted",
          OPENAI_BASE_URL: `${model.url}/v1`,
          OPENAI_API_KEY: "none",
        },
      },
    );
    const [upstream, entrance] = await told(nestor);
    const own = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (kind) => `${kind}_temp_path ${join(folder, kind)};`,
    );
    writeFileSync(
      join(folder, "nginx.conf"),
      `daemon off; ${process.getuid?.() === 0 ? "user root;" : ""} pid ${join(folder, "pid")}; events {}
      http { access_log off; ${own.join(" ")} server { listen ${address};
        location /agents/ { proxy_pass ${upstream}/; } } }`,
    );
    const { fd } = (socket as unknown as { _handle: { fd: number } })._handle;
    const nginx = spawn(
      process.env.NESTOR_TEST_NGINX ?? "/usr/sbin/nginx",
      ["-e", "stderr", "-c", join(folder, "nginx.conf")],
      { env: { ...process.env, NGINX: "3;" }, stdio: ["ignore", "ignore", "ignore", fd] },
    );
    await once(nginx, "spawn");
    socket.close();
    await use({ url, entrance });
    await context.close();
    await Promise.all([ended(nginx), ended(nestor)]);
    rmSync(folder, { recursive: true, force: true });
  },
});

/** Where the server listens, and the link that it prints. */
function told(nestor: ChildProcess): Promise<[string, string]> {
  return new Promise((resolve, reject) => {
    let output = "";
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const [, at, link] = /serving (http:\S+)[\s\S]*?(http:\S+token=\S+)/.exec(output) ?? [];
      if (at && link) {
        resolve([at, link]);
      }
    };
    nestor.stdout?.on("data", read);
    nestor.stderr?.on("data", read);
    nestor.on("exit", () => reject(new Error(`the server ended: ${output}`)));
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, "exit");
    child.kill();
    await gone;
  }
}

test("below a path of nginx a browser signs in by link, chats, and comes back to a page deep inside", async ({
  page,
  context,
  behind,
  model,
}) => {
  const strays: string[] = [];
  page.on("request", (r) => {
    if (!r.url().startsWith(`${behind.url}/`) && !r.url().startsWith("data:")) {
      strays.push(r.url());
    }
  });
  model.script = () => ({ pieces: ["A picture:\n\n```mermaid\nflowchart LR\n  A --> B\n```\n"] });
  await page.goto(behind.entrance);
  await expect(page.getByRole("heading", { name: "What would you like to get done?" })).toBeVisible();
  await expect(page).toHaveURL(`${behind.url}/new`);
  await say(page, "Draw");
  const answer = page.getByRole("article", { name: "Nestor", exact: true });
  await expect(answer.locator("[data-diagram=drawn] img")).toBeVisible(); // the frame that draws was found
  await expect(page).toHaveURL(new RegExp(`^${behind.url}/chats/[^/]+$`));
  await page.reload();
  await expect(answer).toContainText("A picture");

  // What the browser keeps is below the path, too.
  const kept = await page.evaluate(async () => ({
    keys: Object.keys(localStorage).filter((key) => !key.startsWith("agents/")),
    scopes: (await navigator.serviceWorker.getRegistrations()).map((r) => r.scope),
    caches: await caches.keys(),
  }));
  expect(kept).toEqual({ keys: [], scopes: [`${behind.url}/`], caches: ["agents/nestor-shell"] });
  expect((await context.cookies()).map((c) => c.path).filter((path) => !path.startsWith("/agents/"))).toEqual(
    [],
  );

  // A second tab follows along, and a link inside the page stays below the path.
  const other = await context.newPage();
  await other.goto(page.url());
  await say(page, "Again");
  await expect(other.getByRole("article", { name: "Nestor", exact: true })).toHaveCount(2);
  await other.getByRole("link", { name: "Graphs" }).click();
  await expect(other).toHaveURL(`${behind.url}/graphs`);
  await page.goto(`${behind.url}/`); // the last page that was open
  await expect(page).toHaveURL(new RegExp(`^${behind.url}/`));
  await expect(page.getByRole("navigation").first()).toBeVisible();
  expect(strays).toEqual([]);
});
