import { type ComponentType, createElement, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { Router } from "wouter";
import { argsOf } from "./view";
import { viewOf } from "./views";

const Page = Router as ComponentType<{ ssrPath: string }>;

const html = (node: ReactNode) => renderToStaticMarkup(createElement(Page, { ssrPath: "/" }, node));

describe("what tools answer has a view", () => {
  const cases: [tool: string, args: unknown, answer: string, shown: string[]][] = [
    ["calculator", { expression: "6*7" }, "42", ["6*7 = ", ">42<"]],
    [
      "current_time",
      { timeZone: "Europe/Berlin" },
      "2026-03-05T14:02:11+01:00 (Thursday, week 10, Europe/Berlin, UTC+01:00)",
      ["Thursday", "02:02:11", "week 10"],
    ],
    ["web_fetch", {}, "URL: https://example.org/a\nTitle: A page\n\n# Head\n\ntext", ["A page", "Head</h2>"]],
    [
      "tavily_search",
      {},
      "Answer: yes\n\n1. [A](https://a.org)\n   passage",
      ['href="https://a.org"', "passage"],
    ],
    [
      "search_documents",
      {},
      "1. A chat (chats/c1/messages/m1)\n   a passage",
      ['href="/chats/c1"', "a passage"],
    ],
    [
      "read_document",
      {},
      'Document "A \\"b\\"", version 2, id d1, saved by ann at 2026-01-01 00:00 UTC.\nAll of its lines (1):\n\n*text*',
      ['href="/documents/d1"', "A &quot;b&quot;", "<em>text</em>"],
    ],
    [
      "read_result",
      {},
      '[characters 0 to 9 of 9; this is the end]\n{"a": 1}',
      ["this is the end", 'role="tree"'],
    ],
    ["create_agent", {}, "**done**", ["<strong>done</strong>"]],
  ];
  test.each(cases)("%s", (tool, args, answer, shown) => {
    const markup = html(viewOf(tool).output?.(answer, argsOf(args)));
    for (const part of shown) {
      expect(markup).toContain(part);
    }
  });
});

test("what a view does not understand it leaves alone", () => {
  for (const tool of ["current_time", "web_fetch", "search_documents", "read_document", "read_result"]) {
    expect(viewOf(tool).output?.("I did it by hand.", {}), tool).toBeUndefined();
  }
  for (const tool of ["create_agent", "reply_to_agent", "write_document", "final_answer"]) {
    expect(viewOf(tool).input?.({ instruction: 5, content: null }), tool).toBeUndefined();
  }
  expect(viewOf("toString")).toEqual({});
});

test.each([
  "no json",
  "[1]",
  "null",
  '"text"',
  undefined,
  5,
])("arguments that make no sense are none: %j", (value) => {
  expect(argsOf(value)).toEqual({});
});
