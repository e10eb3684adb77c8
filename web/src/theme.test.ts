import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const css = readFileSync(new URL("theme.css", import.meta.url), "utf8");

const schemes = ["light", "dark"] as const;

/** The tokens of theme.css, of each scheme. */
const colours = new Map(
  [...css.matchAll(/--color-([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map((m) => [
    m[1] as string,
    { light: m[2] as string, dark: m[3] as string },
  ]),
);

/** As WCAG 2.2 defines it. */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((i) => Number.parseInt(hex.slice(i, i + 2), 16) / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

const grounds = ["page", "panel", "raised", "hover"];
const states = ["accent", "good", "bad", "wait", "run"];

/** What is written on what, and the least contrast it needs. */
const pairs: [text: string, ground: string, least: number][] = [
  ...["ink", "soft", "faint"].flatMap((t) => grounds.map((g) => [t, g, 4.5] as [string, string, number])),
  ...states.flatMap((s) =>
    ["page", "panel", "raised", `${s}-wash`].map((g) => [s, g, 4.5] as [string, string, number]),
  ),
  ...states.flatMap((s) =>
    ["ink", "soft", "faint"].map((t) => [t, `${s}-wash`, 4.5] as [string, string, number]),
  ),
  ["accent-ink", "accent", 4.5],
  ["edge", "page", 3],
  ["edge", "raised", 3],
];

describe.each(schemes)("in the %s theme", (scheme) => {
  test.each(pairs)("%s on %s has a contrast of at least %d", (text, ground, least) => {
    const [a, b] = [colours.get(text), colours.get(ground)];
    expect(a && b && contrast(a[scheme], b[scheme])).toBeGreaterThanOrEqual(least);
  });
});
