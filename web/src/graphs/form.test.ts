import { describe, expect, test } from "vitest";
import { controlsOf, labelOf, meant, shown } from "./form";
import { inputOf, writtenInput } from "./input";
import { actionOf } from "./keys";
import { types } from "./sample";
import { matchingTypes } from "./search";

test("controls follow from the schema, what is required first", () => {
  const controls = controlsOf({
    type: "object",
    properties: {
      maxTokens: { type: "integer", minimum: 1, maximum: 9 },
      method: { type: "string", enum: ["GET", "PUT"] },
      name: { type: "string", maxLength: 200 },
      tools: { type: "array", items: { type: "string" } },
      strict: { type: "boolean" },
      headers: { type: "object" },
      value: {},
      expression: { type: "string", description: "In CEL." },
    },
    required: ["expression"],
  });
  expect(controls.map((c) => `${c.name} ${c.kind}`)).toEqual([
    "expression text",
    "maxTokens number",
    "method choice",
    "name line",
    "tools lines",
    "strict yes-no",
    "headers json",
    "value json",
  ]);
  expect(controls[0]).toMatchObject({ hint: "In CEL.", required: true });
  expect(controls[2]?.options).toEqual(["GET", "PUT"]);
  expect(controlsOf(undefined)).toEqual([]);
  expect(labelOf("connectionId")).toBe("Connection id");
});

describe("what stands in a control means", () => {
  test.each([
    ["text", "hi ", "hi "],
    ["text", "", undefined],
    ["number", "1.5", 1.5],
    ["number", "1e", "1e"],
    ["yes-no", "false", false],
    ["lines", "a\n\n b \n", ["a", "b"]],
    ["lines", "\n", undefined],
    ["json", '{"a":1}', { a: 1 }],
    ["json", "plain words", "plain words"],
  ] as const)("%s %j: %j", (kind, text, value) => {
    expect(meant(kind, text)).toEqual(value);
  });

  test.each([
    "5",
    "plain",
    '"quoted"',
    "",
    { a: [1] },
    5,
    null,
  ])("the JSON value %j stays what it is", (value) => {
    expect(meant("json", shown("json", value))).toEqual(value);
  });
});

test.each([
  ["hello", { text: "hello" }],
  ['{"a":1}', { a: 1 }],
  ["[1]", [1]],
  ["{not json", { text: "{not json" }],
  ["5", { text: "5" }],
])("the input %j means %j", (written, input) => {
  expect(inputOf(written)).toEqual(input);
  expect(inputOf(writtenInput(input))).toEqual(input);
});

const press = (key: string, held = "") => ({
  key,
  ctrlKey: held.includes("ctrl"),
  metaKey: held.includes("meta"),
  shiftKey: held.includes("shift"),
  altKey: held.includes("alt"),
});

test.each([
  ["z", "ctrl", "undo"],
  ["Z", "ctrl shift", "redo"],
  ["y", "ctrl", "redo"],
  ["z", "meta", "undo"],
  ["s", "ctrl", "save"],
  ["a", "ctrl", "selectAll"],
  ["Delete", "", "remove"],
  ["Backspace", "", "remove"],
  ["f", "", "fit"],
  ["f", "ctrl", undefined],
  ["z", "alt ctrl", undefined],
  ["x", "", undefined],
])("%s with %j held is %s", (key, held, action) => {
  expect(actionOf(press(key, held), false)).toBe(action);
});

test("whoever types is not disturbed, but can save", () => {
  expect(actionOf(press("z", "ctrl"), true)).toBeUndefined();
  expect(actionOf(press("Backspace"), true)).toBeUndefined();
  expect(actionOf(press("s", "ctrl"), true)).toBe("save");
});

test("types are found by words of their name, then of their description", () => {
  const list = [
    ...types.values(),
    { ...types.get("map"), id: "log", description: "Shows a map." },
  ] as never[];
  const ids = (words: string) => matchingTypes(list, words).map((t) => t.id);
  expect(ids("MAP")).toEqual(["map", "log"]);
  expect(ids("what start")).toEqual(["on-start"]);
  expect(ids("")).toHaveLength(4);
  expect(ids("nothing")).toEqual([]);
});
