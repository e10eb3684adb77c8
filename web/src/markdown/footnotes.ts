import type { Parents, Root } from "mdast";

declare module "mdast" {
  interface NoteMark {
    type: "noteMark";
    data: { hName: string; hProperties: { label: string } };
    children: [];
  }
  interface RootContentMap {
    noteMark: NoteMark;
  }
}

/** The element that the mention of a footnote becomes. */
export const noteTag = "note-mark";

/** Footnotes are numbered and shown for the whole text, not in each of its blocks: here are only their mentions. */
export const remarkNotes = () => (tree: Root) => mark(tree);

function mark(parent: Parents): void {
  parent.children = parent.children.flatMap((node) => {
    if (node.type === "footnoteDefinition") {
      return [];
    }
    if (node.type === "footnoteReference") {
      const hProperties = { label: node.identifier };
      return [{ type: "noteMark" as const, data: { hName: noteTag, hProperties }, children: [] as [] }];
    }
    if ("children" in node) {
      mark(node as Parents);
    }
    return [node];
  }) as typeof parent.children;
}
