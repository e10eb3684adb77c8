/**
 * The path that a proxy has the server at, without a slash at the end: "" at the root. What is built lies
 * in /assets below it. The address of the page does not tell: pages are at many depths.
 */
export const base = import.meta.env.PROD ? new URL("..", import.meta.url).pathname.slice(0, -1) : "";

export const home = `${base}/`;

export const apiPath = `${base}/api/v1`;

/** A name for what a browser keeps by origin: servers at other paths of the same origin have others. */
export const named = (name: string) => (base ? `${base.slice(1)}/${name}` : name);
