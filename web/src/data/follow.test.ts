import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { own } from "./owner";

type Following = typeof import("./follow");

/** What the server has, what it was asked, and whether it is there. */
let stored: Record<string, unknown> | undefined;
let asked: string[];
let away: boolean;
let local: Map<string, string>;

beforeEach(() => {
  stored = undefined;
  asked = [];
  away = false;
  local = new Map();
  vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => {} });
  vi.spyOn(own, "set").mockImplementation((name, value) => void local.set(name, value));
  vi.spyOn(own, "get").mockImplementation((name) => local.get(name) ?? null);
  vi.spyOn(own, "remove").mockImplementation((name) => void local.delete(name));
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    if (away) {
      throw new TypeError("away");
    }
    if (init.method === "GET") {
      return Response.json({ items: stored ? [{ id: "another", theme: "light", version: 9 }, stored] : [] });
    }
    asked.push(`${init.method} ${init.body}`);
    if (init.method === (stored ? "POST" : "PATCH")) {
      return Response.json({}, { status: stored ? 409 : 404 });
    }
    stored = {
      id: "default",
      ...stored,
      ...JSON.parse(String(init.body)),
      version: Number(stored?.version ?? 0) + 1,
    };
    return Response.json(stored);
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** A page that begins. */
async function page(): Promise<Following> {
  vi.resetModules();
  const owner = await import("./owner");
  Object.assign(owner.own, own);
  return await import("./follow");
}

const quiet = () =>
  vi.waitFor(() => expect([...local.keys()].filter((k) => k.startsWith("unsent"))).toEqual([]));

test("a page takes what another browser kept, and sends what it changes", async () => {
  stored = { id: "default", theme: "dark", lastPage: "/graphs", version: 3 };
  const p = await page();
  await p.learn();
  expect([p.kept("theme"), p.kept("lastPage"), asked]).toEqual(["dark", "/graphs", []]);
  p.keep("theme", "light");
  await quiet();
  expect(asked).toEqual(['PATCH {"theme":"light"}']);
});

test("the first settings of a person are made of what the browser has", async () => {
  local.set("theme", "dark");
  const p = await page();
  await p.learn();
  expect(stored).toMatchObject({ id: "default", theme: "dark" });
  p.keep("lastPage", "/documents");
  await quiet();
  expect(asked.map((a) => a.split(" ")[0])).toEqual(["POST", "PATCH"]);
});

test("what is changed without a server is kept, sent later, and not undone by what the server had", async () => {
  stored = { id: "default", theme: "dark", lastPage: "/graphs", version: 3 };
  away = true;
  const first = await page();
  await expect(first.learn()).rejects.toThrow();
  first.keep("theme", "light");
  expect(first.kept("theme")).toBe("light");
  away = false;
  const second = await page();
  await second.learn();
  expect([second.kept("theme"), second.kept("lastPage")]).toEqual(["light", "/graphs"]);
  expect(stored).toMatchObject({ theme: "light", lastPage: "/graphs" });
});

test("nothing is sent before it is known what the server has", async () => {
  stored = { id: "default", theme: "dark", lastPage: "/graphs", version: 3 };
  const p = await page();
  p.keep("lastPage", "/documents");
  expect(asked).toEqual([]);
  await p.learn();
  expect(asked).toEqual(['PATCH {"lastPage":"/documents"}']);
});

test("a page follows what is changed elsewhere, in order, and opens none that is no page", async () => {
  const p = await page();
  await p.learn();
  const change = (document: object, id = "default") =>
    p.applySettings({ collection: "settings", id, document });
  change({ theme: "dark", lastPage: "//elsewhere.example", version: 5 });
  change({ theme: "light", lastPage: "/graphs", version: 4 });
  change({ theme: "light", version: 6 }, "another");
  expect([p.kept("theme"), p.kept("lastPage")]).toEqual(["dark", null]);
});

test("settings that somebody deleted are made again", async () => {
  stored = { id: "default", theme: "dark", lastPage: "/graphs", version: 3 };
  const p = await page();
  await p.learn();
  stored = undefined;
  p.keep("lastPage", "/documents");
  await quiet();
  expect(stored).toMatchObject({ lastPage: "/documents" });
});

test("settings that another tab made meanwhile are changed", async () => {
  const p = await page();
  await p.learn();
  stored = { id: "default", theme: "dark", lastPage: "/graphs", version: 3 };
  p.keep("lastPage", "/documents");
  await quiet();
  expect([stored, asked]).toMatchObject([
    { theme: "dark", lastPage: "/documents" },
    ['PATCH {"lastPage":"/documents"}'],
  ]);
});
