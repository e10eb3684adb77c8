import type { Doc, Drawn } from "../api/graphs";
import { words } from "../words/graphs";
import { docOf } from "./drawing";

const say = words.exchange;

/** A graph as a file, and what a file makes of one. The server checks the rest. */

export const exported = (doc: Doc) => `${JSON.stringify(docOf(doc), null, 2)}\n`;

/** A name that every system takes. */
export const fileName = (name: string) =>
  `${
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "") || "graph"
  }.json`;

/** Reads a file that was exported, or says what is wrong with it. */
export function imported(text: string): Doc {
  const part = parseNodes(text);
  if (!part) {
    throw new Error(say.notAGraph);
  }
  const { name, description, maxResolutions } = JSON.parse(text) as Partial<Doc>;
  return docOf({
    name: typeof name === "string" && name.trim() ? name : say.imported,
    description: typeof description === "string" ? description : "",
    ...part,
    maxResolutions: typeof maxResolutions === "number" ? maxResolutions : undefined,
  });
}

/** The nodes and edges of a text, undefined if it has none. */
export function parseNodes(text: string): Drawn | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { nodes, edges } = (value ?? {}) as { nodes?: unknown; edges?: unknown };
  if (!isListOf(nodes, ["id", "nodeId"]) || !isListOf(edges, edgeFields)) {
    return undefined;
  }
  const { nodes: found } = docOf({ name: "", description: "", ...(value as Drawn) });
  return { nodes: found, edges: (value as Drawn).edges };
}

const edgeFields = ["sourceNodeId", "sourcePortId", "targetNodeId", "targetPortId"];

const isListOf = (list: unknown, texts: string[]) =>
  Array.isArray(list) &&
  list.every((item) => texts.every((t) => typeof (item as Record<string, unknown> | null)?.[t] === "string"));
