// What a program says with the generated types. It is compiled, not run.
import type { components, operations, paths } from "./api.js";

export const said: components["schemas"]["NewMessage"] = { content: "Compute 6*7" };

export const page: NonNullable<paths["/api/v1/chats"]["get"]["parameters"]["query"]> = { limit: 2, order: "updated", user: "ada" };

type Answers = operations["say"]["responses"];

export function text(answer: Answers[201]["content"]["application/json"]): string | undefined {
  return answer.content;
}

export function reason(failure: Answers[404 | 429]["content"]["application/json"]): string {
  return failure.error.code === "rate_limited" ? "later" : failure.error.message;
}

// @ts-expect-error a message has a content
export const empty: components["schemas"]["NewMessage"] = {};

// @ts-expect-error a limit is a number
export const wrong: typeof page = { limit: "2" };
