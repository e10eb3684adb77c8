/** A value of JSON that holds others. */
export type Holder = readonly unknown[] | Readonly<Record<string, unknown>>;

export type Row = Readonly<Record<string, unknown>>;

/** What a text is, and so how it is shown. */
export type Shape =
  | { kind: "tree"; value: Holder }
  | { kind: "table"; value: readonly Row[]; columns: readonly string[] }
  | { kind: "diff" }
  | { kind: "text" };

const mostColumns = 30;

export function shapeOf(text: string): Shape {
  const value = /^\s*[[{]/.test(text) ? parsed(text) : undefined;
  if (value) {
    return shapeOfValue(value);
  }
  return { kind: isDiff(text) ? "diff" : "text" };
}

/** A list of flat objects is a table. */
export function shapeOfValue(value: Holder): Shape {
  if (Array.isArray(value) && value.length > 0 && value.every(isFlat)) {
    const rows = value as readonly Row[];
    const columns = [...new Set(rows.flatMap((r) => Object.keys(r)))];
    if (columns.length > 0 && columns.length <= mostColumns) {
      return { kind: "table", value: rows, columns };
    }
  }
  return { kind: "tree", value };
}

export const isHolder = (value: unknown): value is Holder => typeof value === "object" && value !== null;

const isFlat = (value: unknown) =>
  isHolder(value) && !Array.isArray(value) && !Object.values(value).some(isHolder);

function parsed(text: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isHolder(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A difference in the unified format, by its first lines or a place in it. */
const isDiff = (text: string) =>
  /^(?:diff --git .+|--- .+\n\+\+\+ .+|@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@)/m.test(text);
