import { describe, expect, test } from "vitest";
import type { DeltaEvent } from "../api/types";
import { type Draft, joined } from "./drafts";

const delta = (kind: DeltaEvent["kind"], text = "", offset = 0): DeltaEvent => ({
  path: "users/u/orch-chats/c/messages/m",
  id: "m",
  chatId: "c",
  kind,
  text,
  offset,
});

const draftOf = (...deltas: DeltaEvent[]) =>
  deltas.reduce<Draft | undefined>((draft, d) => joined(draft, d, () => 7), undefined);

describe("a draft", () => {
  test("grows by what is said", () => {
    expect(draftOf(delta("text", "Hel"), delta("text", "lo", 3))?.text).toBe("Hello");
  });

  test("is the same when a delta comes twice", () => {
    const twice = draftOf(delta("text", "Hel"), delta("text", "lo", 3), delta("text", "lo", 3));
    expect(twice?.text).toBe("Hello");
  });

  test("takes all that was said so far from one who joins late", () => {
    expect(draftOf(delta("text", "Hel"), delta("text", "Hello", 0))?.text).toBe("Hello");
  });

  test("counts characters as the server does, not UTF-16 units", () => {
    expect(draftOf(delta("text", "👋🏽a"), delta("text", "b", 3))?.text).toBe("👋🏽ab");
  });

  test("keeps what is thought apart from what is said", () => {
    const draft = draftOf(delta("reasoning", "hmm"), delta("text", "yes"));
    expect([draft?.reasoning, draft?.text]).toEqual(["hmm", "yes"]);
  });

  test("begins anew at a restart", () => {
    expect(draftOf(delta("text", "wrong"), delta("restart"), delta("text", "right"))?.text).toBe("right");
  });

  test("stays after done, until its document comes", () => {
    expect(draftOf(delta("text", "all"), delta("done"))?.text).toBe("all");
  });

  test("is not made by a done of something that was never seen", () => {
    expect(draftOf(delta("done"))).toBeUndefined();
  });

  test.each([
    "drop",
    "restart",
  ] as const)("keeps what was said before a %s until something else is said", (kind) => {
    const broken = draftOf(delta("text", "Half"), delta(kind));
    expect([broken?.text, broken?.cut, broken?.cutAfter]).toEqual(["", "Half", 7]);
    expect(draftOf(delta("text", "Half"), delta(kind), delta(kind))?.cut).toBe("Half");
    expect(draftOf(delta("text", "Half"), delta(kind), delta("text", "All"))?.text).toBe("All");
  });

  test("is gone when it is dropped, if it said nothing to people", () => {
    expect(draftOf(delta("reasoning", "hmm"), delta("drop"))).toBeUndefined();
    const ofAgent = { ...delta("text", "void"), subAgentId: "a" };
    expect(draftOf(ofAgent, { ...ofAgent, kind: "drop" })).toBeUndefined();
  });
});
