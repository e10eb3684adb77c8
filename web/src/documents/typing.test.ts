import { expect, test } from "vitest";
import { type Edit, indent, newLine } from "./typing";

/** A text with its selection between bars, one bar if it is empty. */
function parsed(marked: string): [text: string, start: number, end: number] {
  const start = marked.indexOf("|");
  const end = marked.lastIndexOf("|");
  return [marked.replaceAll("|", ""), start, end === start ? start : end - 1];
}

function after(marked: string, edit: (text: string, start: number, end: number) => Edit | undefined): string {
  const [text, start, end] = parsed(marked);
  const e = edit(text, start, end);
  if (!e) {
    return "as it is";
  }
  const now = text.slice(0, e.from) + e.text + text.slice(e.to);
  const bars = e.start === e.end ? "|" : `|${now.slice(e.start, e.end)}|`;
  return now.slice(0, e.start) + bars + now.slice(e.end);
}

test.each([
  ["a blank is filled in", "a|b", "a  |b"],
  ["an item of a list moves", "- a\n- b|", "- a\n  - b|"],
  ["all selected lines move, empty ones do not", "a|b\n\nc|d\ne", "  a|b\n\n  c|d\ne"],
  ["a line that is not touched stays", "|ab\n|cd", "  |ab\n|cd"],
])("Tab: %s", (_, before, want) => {
  expect(after(before, (t, s, e) => indent(t, s, e, false))).toBe(want);
});

test.each([
  ["the line moves back", "   a|b", " a|b"],
  ["a tab goes, too", "\ta|", "a|"],
  ["a line without an indent stays", "ab|", "ab|"],
  ["the selection stays in its line", "x\n |  a|", "x\n| a|"],
])("Shift+Tab: %s", (_, before, want) => {
  expect(after(before, (t, s, e) => indent(t, s, e, true))).toBe(want);
});

test.each([
  ["a plain line", "ab|", "as it is"],
  ["an indent goes on", "  ab|", "  ab\n  |"],
  ["a list goes on", "- a|", "- a\n- |"],
  ["numbers count", "x\n9. a|b", "x\n9. a\n10. |b"],
  ["a task that is done is followed by one that is not", "- [x] a|", "- [x] a\n- [ ] |"],
  ["an empty item ends the list", "- a\n- |", "- a\n|"],
  ["an item before the caret stays", "- |a", "- \n- |a"],
])("Enter: %s", (_, before, want) => {
  expect(after(before, newLine)).toBe(want);
});
