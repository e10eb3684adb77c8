import { describe, expect, test } from "vitest";
import { strayTexts } from "./texts.mjs";

const check = (jsx) => strayTexts("sample.tsx", `export const sample = (say, n) => (\n${jsx}\n);`);

describe("a text in a component is found:", () => {
  test.each([
    ["between tags", "<p>Saved</p>"],
    ["beside a value", "<p>{n} tasks</p>"],
    ["in an attribute", '<button aria-label="Close" />'],
    ["in a choice", '<p>{n ? "Saving…" : say.saved}</p>'],
    ["with a value in it", "<p title={`Delete ${".concat("n}`} />")],
    ["in a list of choices", '[{ value: 1, label: "All of them" }]'],
  ])("%s", (_, jsx) => {
    expect(check(jsx)).toEqual([expect.stringMatching(/^sample\.tsx:2: /)]);
  });
});

describe("what is no text is left alone:", () => {
  test.each([
    ["a name in the catalogue", "<p title={say.saved}>{say.tasks(n)}</p>"],
    ["classes", '<p className="flex p-2" />'],
    ["a state", '<p data-state={n === "Low energy" ? "low" : "high"} />'],
    ["a key", '<p onKeyDown={(e) => e.key === "Escape" && n()} />'],
    ["a command", "<p>{say.run(<code>nestor link</code>)}</p>"],
    ["signs", "<p>{n} · ( {n} )</p>"],
  ])("%s", (_, jsx) => {
    expect(check(jsx)).toEqual([]);
  });
});
