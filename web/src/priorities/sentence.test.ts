import { expect, test } from "vitest";
import { sentence } from "./sentence";

const outcome = {
  direction: "increase",
  object: "weekly signups",
  metric: "new accounts",
  clarifier: "20% more by June",
} as const;

test.each([
  ["has a full stop", outcome, "Increase weekly signups, measured by new accounts: 20% more by June."],
  [
    "keeps the mark that it ends with",
    { ...outcome, clarifier: "by June!" },
    "Increase weekly signups, measured by new accounts: by June!",
  ],
  [
    "has no space around what was typed",
    { ...outcome, object: " churn ", direction: "decrease" as const, clarifier: "by June. " },
    "Decrease churn, measured by new accounts: by June.",
  ],
  [
    "shows what is missing",
    { ...outcome, metric: " ", clarifier: "" },
    "Increase weekly signups, measured by …: ….",
  ],
])("the sentence %s", (_, said, want) => {
  expect(sentence(said)).toBe(want);
});
