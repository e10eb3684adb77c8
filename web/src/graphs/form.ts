/** How a parameter is asked for, from its JSON Schema. */
export interface Control {
  name: string;
  label: string;
  hint?: string;
  required: boolean;
  kind: "line" | "text" | "number" | "choice" | "yes-no" | "lines" | "json";
  options?: string[];
  minimum?: number;
  maximum?: number;
}

interface Schema {
  type?: string;
  enum?: unknown[];
  description?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

/** The controls of a node type, those that are required first. */
export function controlsOf(parameters: unknown): Control[] {
  const schema = (parameters ?? {}) as Schema;
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {})
    .map(([name, s]) => ({
      name,
      label: labelOf(name),
      hint: s.description,
      required: required.has(name),
      kind: kindOf(s),
      options: s.enum?.map(String),
      minimum: s.minimum,
      maximum: s.maximum,
    }))
    .sort((a, b) => Number(b.required) - Number(a.required));
}

function kindOf(s: Schema): Control["kind"] {
  if (s.enum) {
    return "choice";
  }
  switch (s.type) {
    case "string":
      return s.maxLength !== undefined && s.maxLength <= 200 ? "line" : "text";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "yes-no";
    case "array":
      return s.items?.type === "string" ? "lines" : "json";
    default:
      return "json";
  }
}

/** connectionId is "Connection id". */
export function labelOf(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[-_]/g, " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What stands in the control. */
export function shown(kind: Control["kind"], value: unknown): string {
  if (value === undefined) {
    return "";
  }
  switch (kind) {
    case "lines":
      return Array.isArray(value) ? value.join("\n") : "";
    case "json":
      return typeof value === "string" && meant("json", value) === value
        ? value
        : JSON.stringify(value, null, 2);
    default:
      return String(value);
  }
}

/** The value that was meant; an empty control has none. A JSON field takes plain words as a text. */
export function meant(kind: Control["kind"], text: string): unknown {
  if (text === "") {
    return undefined;
  }
  switch (kind) {
    case "number":
      return Number.isFinite(Number(text)) ? Number(text) : text;
    case "yes-no":
      return text === "true";
    case "lines": {
      const lines = text.split("\n").flatMap((l) => l.trim() || []);
      return lines.length > 0 ? lines : undefined;
    }
    case "json":
      try {
        return JSON.parse(text);
      } catch {
        return text;
      }
    default:
      return text;
  }
}
