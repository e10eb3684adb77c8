import katex from "katex";
import "katex/dist/katex.css";

export type Draw = typeof draw;

interface Drawn {
  attributes?: Record<string, string>;
  children?: Drawn[];
  toNode(): Node;
}

/** KaTeX builds this tree before it makes elements of it. */
const { __renderToDomTree: build } = katex as unknown as {
  __renderToDomTree(source: string, options: katex.KatexOptions): Drawn;
};

/** Draws a formula into an element, or tells why it cannot. */
export function draw(source: string, display: boolean, place: HTMLElement): string | undefined {
  try {
    const tree = build(source, {
      displayMode: display,
      strict: "ignore",
      trust: false,
      maxSize: 20,
      maxExpand: 500,
      macros: silent(),
    });
    keepStyles(tree);
    const node = tree.toNode() as HTMLElement;
    for (const element of node.querySelectorAll<HTMLElement>("[data-style]")) {
      element.style.cssText = element.dataset.style ?? "";
      delete element.dataset.style;
    }
    place.replaceChildren(node);
    return undefined;
  } catch (e) {
    return e instanceof Error ? e.message.replace(/^KaTeX parse error: /, "") : String(e);
  }
}

/** The content policy forbids attributes named style, which KaTeX gives to some; the same through the element's style is fine. */
function keepStyles(node: Drawn): void {
  if (node.attributes?.style) {
    node.attributes["data-style"] = node.attributes.style;
    delete node.attributes.style;
  }
  node.children?.forEach(keepStyles);
}

/** The macros by which a formula writes to the console. A new object each time: a formula may define more in it. */
const silent = (): Record<string, string> => ({ "\\message": "#1", "\\errmessage": "#1", "\\show": "" });
