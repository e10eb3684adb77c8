import { expect, test } from "vitest";
import { fileName, titleOf } from "./files";

test("a text is called as its first heading says, or as its file", () => {
  expect(titleOf("intro\n\n## The plan ##\n# Later", "a.md")).toBe("The plan");
  expect(titleOf("no heading, #tag", "Shopping list.MD")).toBe("Shopping list");
  expect(titleOf("", ".md")).toBe("Untitled");
});

test("a file has a name that every system takes", () => {
  expect(fileName('a/b: "c"?')).toBe("a-b- -c-.md");
  expect(fileName("")).toBe("document.md");
});
