// The conformance suite imports fs.globSync, which Node.js has since version 22, for a
// command that the tests do not use. This lets it run on version 20, too.
import { register } from "node:module";

const source = `export * from "node:fs";
export { default } from "node:fs";
export const globSync = () => { throw new Error("there is no globSync"); };`;

register(
  "data:text/javascript," +
    encodeURIComponent(`
export function resolve(name, context, next) {
  return name === "fs" && context.parentURL?.includes("conformance/dist")
    ? { url: "nestor:fs", format: "module", shortCircuit: true }
    : next(name, context);
}
export function load(url, context, next) {
  return url === "nestor:fs" ? { format: "module", shortCircuit: true, source: ${JSON.stringify(source)} } : next(url, context);
}`),
);
