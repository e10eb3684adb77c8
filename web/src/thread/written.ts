import type { ToolCall } from "../api/types";

interface Written {
  document: string;
  title: string;
  version: number;
}

/** The version that a call of write_document made. */
export function writtenBy({ toolName, status, result }: ToolCall): Written | undefined {
  if (toolName !== "write_document" || status !== "success") {
    return undefined;
  }
  try {
    const written: Partial<Written> = JSON.parse(result ?? "null") ?? {};
    const { document, title, version } = written;
    return document && title && version ? { document, title, version } : undefined;
  } catch {
    return undefined; // somebody marked it as done, in words
  }
}
