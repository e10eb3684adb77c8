import { describe, expect, test } from "vitest";
import { directionOf, isAligned, long, pieces, quoted } from "./verbatim";

const linksOf = (text: string) => pieces(text).flatMap((p) => (p.link ? [p.text] : []));

describe("addresses in a text", () => {
  test.each([
    ["see https://a.example/x?y=1#z.", "https://a.example/x?y=1#z"],
    ["(https://a.example/b)", "https://a.example/b"],
    ["https://a.example/b_(c)", "https://a.example/b_(c)"],
    ["<http://a.example>, or", "http://a.example"],
    ["“https://a.example”!", "https://a.example"],
  ])("%s", (text, link) => {
    expect(linksOf(text)).toEqual([link]);
    expect(
      pieces(text)
        .map((p) => p.text)
        .join(""),
    ).toBe(text);
  });

  test.each(["https://", "javascript:alert(1)", "ftp://a.example", "1*2*3 # x"])("none in %s", (text) => {
    expect(pieces(text)).toEqual([{ text }]);
  });
});

describe("a long text", () => {
  const rows = (n: number) => Array.from({ length: n }, (_, i) => `row ${i}`).join("\n");

  test("is shown by its first lines", () => {
    expect(long(rows(30))).toBeUndefined();
    expect(long(rows(240))).toEqual({ head: rows(12), lines: 240, characters: rows(240).length });
  });

  test("without lines is shown by its first characters, and none of them by half", () => {
    const text = "😀".repeat(3000);
    const found = long(`x${text}`);
    expect(found?.lines).toBe(1);
    expect(found?.head).toBe(`x${"😀".repeat(799)}`);
  });
});

test.each([
  ["func main() {\n\tprintln(1)\n}", true],
  ["if x:\n    y = [\n      1]\nelse:\n    z()", true],
  ["+---+---+\n| a | b |\n+---+---+", true],
  ["name     age\nAnna      31\n", true],
  ["```\nx\n```", true],
  ["Roses are red,\n  violets are blue,\nsugar is sweet.", false],
  ["One.\n\nTwo: three.", false],
  ["a    b", false],
])("the columns of %j mean something: %s", (text, aligned) => {
  expect(isAligned(text)).toBe(aligned);
});

test.each([
  ["Hello שלום", "ltr"],
  ["  123 שלום Hello", "rtl"],
  ["مرحبا", "rtl"],
  ["", "ltr"],
])("%j is written from %s", (text, direction) => {
  expect(directionOf(text)).toBe(direction);
});

test("a quote has a mark before each line", () => {
  expect(quoted("a\n  b\n\n")).toBe("> a\n>   b\n\n");
});
