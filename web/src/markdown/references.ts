import type { Block } from "./blocks";

/** What blocks of a text say about each other: addresses of links, and footnotes. */
export interface References {
  /** The blocks, each with the definitions that it needs to be understood alone. */
  blocks: Block[];
  /** The footnotes in the order in which they are mentioned. */
  notes: { label: string; text: string }[];
}

const definition = /^ {0,3}\[(\^?)((?:[^[\]\\]|\\.)+)\]:[ \t]*(.*)$/;

/** A text without definitions, which is most, costs one look at each block. */
export function resolve(blocks: readonly Block[]): References {
  const links = new Map<string, string>();
  const footnotes = new Map<string, string>();
  const rest = blocks.filter((b) => b.code || !take(b, links, footnotes));
  if (links.size + footnotes.size === 0) {
    return { blocks: [...blocks], notes: [] };
  }
  const notes = new Map<string, { label: string; text: string }>();
  const complete = rest.map((b) => {
    const mentioned = b.code ? [] : mentions(b.text);
    const needed = new Set<string>();
    for (const { isNote, label } of mentioned) {
      const said = (isNote ? footnotes : links).get(label);
      if (said === undefined) {
        continue;
      }
      needed.add(isNote ? `[^${label}]: .` : `[${label}]: ${said}`); // the note itself is shown at the end
      if (isNote) {
        notes.set(label, { label, text: said.trimEnd() });
      }
    }
    return needed.size === 0 ? b : { text: `${b.text.trimEnd()}\n\n${[...needed].join("\n\n")}\n` };
  });
  return { blocks: complete, notes: [...notes.values()] };
}

/** Takes the definitions of a block, if it is nothing else. */
function take(block: Block, links: Map<string, string>, footnotes: Map<string, string>): boolean {
  if (!/^ {0,3}\[/.test(block.text)) {
    return false;
  }
  let note = ""; // the footnote whose text goes on
  for (const line of block.text.split("\n")) {
    const [, mark, label = "", text = ""] = definition.exec(line) ?? [];
    if (mark === "^") {
      note = normal(label);
      footnotes.set(note, footnotes.get(note) ?? text);
    } else if (mark === "") {
      note = "";
      links.set(normal(label), links.get(normal(label)) ?? text);
    } else if (note) {
      footnotes.set(note, `${footnotes.get(note)}\n${line.replace(/^ {1,4}/, "")}`);
    } else if (line.trim() !== "") {
      return false;
    }
  }
  return true;
}

const mentions = (text: string) =>
  [...text.matchAll(/\[(\^?)((?:[^[\]\\]|\\.)+)\]/g)].map(([, mark, label = ""]) => ({
    isNote: mark === "^",
    label: normal(label),
  }));

/** Labels differ neither by case nor by spaces. */
export const normal = (label: string) => label.trim().replace(/\s+/g, " ").toLowerCase();
