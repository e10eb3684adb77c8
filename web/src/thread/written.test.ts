import { expect, test } from "vitest";
import type { ToolCall } from "../api/types";
import { writtenBy } from "./written";

const call = (fields: Partial<ToolCall>) =>
  ({ toolName: "write_document", status: "success", ...fields }) as ToolCall;

test("a call that wrote a document tells which", () => {
  const result = '{"id":"v2","document":"v1","title":"Plan","version":2,"link":"/documents/v1"}';
  expect(writtenBy(call({ result }))).toEqual({ document: "v1", title: "Plan", version: 2 });
  expect(writtenBy(call({ result, status: "failed" }))).toBeUndefined();
  expect(writtenBy(call({ result, toolName: "other" }))).toBeUndefined();
  for (const other of ["done by hand", "null", "{}", undefined]) {
    expect(writtenBy(call({ result: other }))).toBeUndefined();
  }
});
