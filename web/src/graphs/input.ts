/** What a person writes as the input of a run, and what it means: JSON as it is, and plain words as {text}. */

export function inputOf(written: string): unknown {
  const text = written.trim();
  if (/^[[{]/.test(text)) {
    try {
      return JSON.parse(text);
    } catch {
      return { text: written };
    }
  }
  return { text: written };
}

/** How an input is written, so that it means the same. */
export function writtenInput(input: unknown): string {
  const named = input as { text?: unknown } | null;
  if (
    named &&
    typeof named === "object" &&
    typeof named.text === "string" &&
    Object.keys(named).length === 1
  ) {
    return named.text;
  }
  return JSON.stringify(input, null, 2) ?? "";
}
