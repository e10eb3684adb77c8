import { beforeEach, expect, test, vi } from "vitest";
import type { ChangeEvent } from "../api/types";
import { OpenRuns } from "./openruns";

let answer: (runs: unknown[]) => void;

beforeEach(() => {
  vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => {} });
  const items = new Promise<unknown[]>((resolve) => {
    answer = resolve;
  });
  vi.stubGlobal("fetch", async () => Response.json({ items: await items }));
});

const told = (id: string, status: string, version: number) =>
  ({ collection: "runs", id, document: { id, chatId: "c", status, version } }) as unknown as ChangeEvent;
const ids = (runs: OpenRuns) => runs.running().map((r) => r.id);

test("an answer that is older than what the stream told changes nothing", async () => {
  const runs = new OpenRuns();
  const read = runs.read("c");
  runs.apply(told("a", "cancelled", 3));
  runs.apply(told("b", "running", 1));
  answer([{ id: "a", chatId: "c", status: "running", version: 2 }]);
  await read;
  expect(ids(runs)).toEqual(["b"]); // a was stopped, and b began, while the answer was on its way
});

test("a run that is not under way any more has ended", async () => {
  const runs = new OpenRuns();
  runs.apply(told("a", "running", 1));
  const read = runs.read("c");
  answer([]);
  await read;
  expect(ids(runs)).toEqual([]);
});
