import { expect, test } from "vitest";
import { agentPath, chatPath, documentPath, pages, parsePlace, stepPath } from "./place";

const example = (page: string) => page.replace(/:(\w+)/g, "$1-1");

test("a place is read from the pages of chats and from no other", () => {
  const places = Object.values(pages).map((page) => [page, parsePlace(example(page))]);
  expect(Object.fromEntries(places)).toEqual({
    [pages.start]: undefined,
    [pages.fresh]: undefined,
    [pages.chat]: { chatId: "chat-1" },
    [pages.agent]: { chatId: "chat-1", agentId: "agent-1" },
    [pages.step]: { chatId: "chat-1", agentId: "agent-1", stepId: "step-1" },
    [pages.operations]: undefined,
    [pages.tab]: undefined,
    [pages.priorities]: undefined,
    [pages.part]: undefined,
    [pages.documents]: undefined,
    [pages.document]: undefined,
  });
});

test("links lead to pages", () => {
  expect(chatPath("chat-1")).toBe(example(pages.chat));
  expect(agentPath("chat-1", "agent-1")).toBe(example(pages.agent));
  expect(documentPath("document-1")).toBe(example(pages.document));
  expect(stepPath("chat-1", "agent-1", "step-1")).toBe(example(pages.step));
});
