import { expect, test } from "vitest";
import { titleOf } from "./upload";

test.each([
  ["its heading", "\n# Launch plan\n- [ ] Write", "Launch plan"],
  ["its first task", "- [x] Write the text", "Write the text"],
  ["a part of a long line", "x".repeat(300), "x".repeat(80)],
  ["a word for a text without one", "  \n---\n", "Note"],
])("a text is called by %s", (_, text, want) => expect(titleOf(text)).toBe(want));
