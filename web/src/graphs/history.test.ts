import { expect, test } from "vitest";
import { begin, commit, redo, undo } from "./history";

test("undo and redo go through what was done, and something new ends what was undone", () => {
  let h = commit(commit(begin("a"), "b"), "c");
  h = undo(undo(h));
  expect(h.present).toBe("a");
  expect(undo(h)).toBe(h);
  h = redo(h);
  expect(h.present).toBe("b");
  h = commit(h, "d");
  expect(redo(h)).toBe(h);
  expect(undo(h).present).toBe("b");
});

test("letters of one field are one step, and another field is another", () => {
  let h = begin("");
  h = commit(commit(h, "x", "name"), "xy", "name");
  h = commit(h, "xyz", "system");
  expect(undo(h).present).toBe("xy");
  expect(undo(undo(h)).present).toBe("");
});

test("after an undo the same field begins a step of its own", () => {
  const h = undo(commit(commit(begin("a"), "b", "name"), "c"));
  expect(h.present).toBe("b");
  expect(undo(commit(h, "e", "name")).present).toBe("b");
});

test("what changes nothing is no step, and the oldest steps are forgotten", () => {
  let h = begin(0);
  expect(commit(h, 0)).toBe(h);
  for (let i = 1; i <= 250; i++) {
    h = commit(h, i);
  }
  expect(h.past).toHaveLength(200);
});
