import mermaid from "mermaid";
import { type Answer, type Order, ready } from "./protocol";

/**
 * Draws diagrams for the page that this is a frame of. Mermaid needs styles in
 * the page, which the page's own policy forbids, and makes markup of text that
 * anybody may have written. So it works here: a frame without an origin, which
 * reaches nothing but its own files. What it draws is shown as a picture.
 */
let turn: Promise<unknown> = Promise.resolve();

addEventListener("message", ({ source, data }: MessageEvent<Order>) => {
  if (source === parent) {
    turn = turn.then(() => answer(data)).then((a) => parent.postMessage(a, "*"));
  }
});
parent.postMessage(ready, "*");

async function answer({ id, source, dark }: Order): Promise<Answer> {
  try {
    mermaid.initialize({
      startOnLoad: false,
      securityLevel: "strict",
      theme: dark ? "dark" : "default",
      themeVariables: { dropShadow: "none", useGradient: false },
      htmlLabels: false,
      fontFamily: "ui-sans-serif, system-ui, sans-serif", // a picture has the fonts of the system only
      suppressErrorRendering: true,
      logLevel: "fatal",
      secure: [
        "secure",
        "securityLevel",
        "startOnLoad",
        "maxTextSize",
        "maxEdges",
        "htmlLabels",
        "fontFamily",
        "logLevel",
      ],
    });
    const { svg } = await mermaid.render(`diagram-${id}`, source);
    return { id, svg: asPicture(svg) };
  } catch (e) {
    return { id, error: e instanceof Error ? e.message : String(e) };
  }
}

/** The drawing as a document of its own: well-formed, with a size. */
function asPicture(markup: string): string {
  const svg = new DOMParser().parseFromString(markup, "text/html").querySelector("svg");
  if (!svg) {
    throw new Error("nothing was drawn");
  }
  const { width, height } = svg.viewBox.baseVal;
  if (width && height) {
    svg.setAttribute("width", `${Math.ceil(width)}`);
    svg.setAttribute("height", `${Math.ceil(height)}`);
    svg.style.maxWidth = "";
  }
  return new XMLSerializer().serializeToString(svg);
}
