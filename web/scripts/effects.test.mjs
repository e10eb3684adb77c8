import { describe, expect, test } from "vitest";
import { wrongEffects } from "./effects.mjs";

const check = (body) =>
  wrongEffects(
    "sample.tsx",
    `import * as React from "react";
import { useEffect, useLayoutEffect, useInsertionEffect, useEffect as when } from "react";
declare const el: HTMLElement | undefined;
declare function load(): void;
export function Sample() {
  ${body}
  return <p />;
}`,
  );

describe("an effect that may return something by accident is found:", () => {
  test.each([
    ["without braces", "useEffect(() => el?.scrollIntoView(), []);"],
    ["without braces, though void", "useLayoutEffect(() => void load());"],
    ["that is given by name", "useInsertionEffect(load, []);"],
    ["that is given by a call", "useEffect(load.bind(null), []);"],
    ["as a member of React", "React.useEffect(() => el?.focus(), []);"],
    ["under another name", "when(() => el?.focus(), []);"],
    ["that returns a call", "useEffect(() => { return el?.scrollTo(0, 0); }, []);"],
    [
      "that returns a call somewhere inside",
      "useEffect(() => { if (el) { return el.scrollBy(1, 1); } }, []);",
    ],
    ["that returns what it does not show", "useEffect(() => { const end = load(); return end; }, []);"],
    ["that is async", "useEffect(async () => { await load(); }, []);"],
    ["that is an old function", "useEffect(function () { return load(); }, []);"],
  ])("%s", (_, body) => {
    expect(check(body)).toEqual([expect.stringMatching(/^sample\.tsx:6: /)]);
  });
});

describe("an effect that says what it returns is left alone:", () => {
  test.each([
    ["nothing", "useEffect(() => { el?.scrollIntoView(); }, []);"],
    ["a clean-up", "useEffect(() => { load(); return () => el?.scrollTo(0, 0); }, []);"],
    ["an early end", "useEffect(() => { if (!el) { return; } load(); return () => load(); }, []);"],
    ["a function inside that returns", "useEffect(() => { [1].map(() => { return load(); }); }, []);"],
  ])("%s", (_, body) => {
    expect(check(body)).toEqual([]);
  });
});

test("a file that cannot be read is an error, not a pass", () => {
  expect(() => wrongEffects("broken.tsx", "useEffect(() => {")).toThrow("broken.tsx");
});
