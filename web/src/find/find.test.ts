import { expect, test } from "vitest";
import { fits } from "./fuzzy";
import { commandOf, keys } from "./keys";
import { holds } from "./row";

const press = (
  key: string,
  held: Partial<Record<"ctrlKey" | "metaKey" | "shiftKey" | "altKey", boolean>> = {},
) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...held,
});

test("keys do what the list says, and nothing while somebody types", () => {
  expect(commandOf(press("k", { ctrlKey: true }), true)).toBe("palette");
  expect(commandOf(press("K", { metaKey: true }), false)).toBe("palette");
  expect(commandOf(press("k"), false)).toBeUndefined();
  expect(commandOf(press("k", { ctrlKey: true, shiftKey: true }), false)).toBeUndefined();
  expect(commandOf(press("k", { ctrlKey: true, altKey: true }), false)).toBeUndefined();
  expect(commandOf(press("/"), false)).toBe("write");
  expect(commandOf(press("/", { shiftKey: true }), false)).toBe("write"); // as on German keyboards
  expect(commandOf(press("?", { shiftKey: true }), false)).toBe("help");
  expect(commandOf(press("/"), true)).toBeUndefined();
  expect(commandOf(press("?", { shiftKey: true }), true)).toBeUndefined();
  expect(commandOf(press("Escape"), false)).toBeUndefined();
  expect(new Set(keys.map((k) => k.press)).size).toBe(keys.length);
});

test("names are found by their beginning, their words, parts of them, or letters in order", () => {
  const order = ["plan the trip", "my plan", "explanation", "pl-a-nt"].map((name) => fits(name, "plan"));
  expect(order).toEqual([5, 4, 3, 2]);
  expect(fits("Trip to Rome", "rome tr")).toBe(4);
  expect(fits("Trip to Rome", "paris")).toBe(0);
  expect(fits("a long name with letters far apart", "aa")).toBe(0);
  expect(fits("anything", "  ")).toBe(1);
});

test("a row of a chat has what its person can read there", () => {
  const message = { kind: "message", key: "m", message: { content: "Grüße aus ROM" } } as never;
  expect([holds(message, "grüße"), holds(message, "rom "), holds(message, "paris")]).toEqual([
    true,
    true,
    false,
  ]);
  const tasks = { kind: "tasks", key: "t", tasks: [{ instruction: "Look", result: "Found it" }] } as never;
  expect([holds(tasks, "found IT"), holds(tasks, "lost")]).toEqual([true, false]);
});
