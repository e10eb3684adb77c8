import { expect, test } from "vitest";
import { latest } from "./latest";

test("who asks while it runs gets one more run, all together, that begins afterwards", async () => {
  const log: string[] = [];
  const ends: (() => void)[] = [];
  let runs = 0;
  const ask = latest(async () => {
    const n = ++runs;
    log.push(`begin ${n}`);
    await new Promise<void>((resolve) => ends.push(resolve));
    log.push(`end ${n}`);
  });
  const first = ask();
  const others = [ask(), ask(), ask()];
  expect(log).toEqual(["begin 1"]);
  ends[0]?.();
  await first;
  await expect.poll(() => log).toEqual(["begin 1", "end 1", "begin 2"]);
  ends[1]?.();
  await Promise.all(others);
  expect(log).toEqual(["begin 1", "end 1", "begin 2", "end 2"]);
});

test("a run that fails is told to who asked for it, and the next one runs", async () => {
  let runs = 0;
  const ask = latest(async () => {
    if (++runs === 1) {
      throw new Error("no");
    }
  });
  const first = ask();
  const second = ask();
  await expect(first).rejects.toThrow("no");
  await second;
  expect(runs).toBe(2);
});
