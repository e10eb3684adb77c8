// Finds effects that may hand React something to call when they end without
// meaning to. What an effect returns is its clean-up, and types do not help: a
// method of the browser that is declared to return nothing may return a
// promise in the next version, and the page crashes when the effect ends.
//
// So the function of an effect is written in place, has braces, and returns
// nothing or a function that is written in place.
import { parseSync } from "vite";

const hooks = new Set(["useEffect", "useLayoutEffect", "useInsertionEffect"]);
const functions = new Set(["ArrowFunctionExpression", "FunctionExpression", "FunctionDeclaration"]);

/** What is wrong with the effects of a source file, a line of text for each. */
export function wrongEffects(file, source) {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) {
    throw new Error(`${file}: ${errors[0].message}`);
  }
  const names = namesOfHooks(program);
  const found = [];
  for (const node of within(program)) {
    const problem =
      node.type === "CallExpression" && isHook(node.callee, names) && problemOf(node.arguments[0]);
    if (problem) {
      found.push(`${file}:${source.slice(0, node.start).split("\n").length}: ${problem}`);
    }
  }
  return found;
}

function problemOf(effect) {
  if (!functions.has(effect?.type)) {
    return "the function of an effect is written in place";
  }
  if (effect.async) {
    return "the function of an effect is not async: it would return a promise";
  }
  if (effect.body.type !== "BlockStatement") {
    return "the function of an effect has braces: what it returns is called when it ends";
  }
  const returned = [...within(effect.body, functions)].filter(
    (n) => n.type === "ReturnStatement" && n.argument,
  );
  return returned.every((n) => functions.has(n.argument.type))
    ? undefined
    : "an effect returns nothing, or a function that is written in place";
}

/** The hooks under the names that the file gives them. */
function namesOfHooks(program) {
  const imported = program.body.filter((n) => n.type === "ImportDeclaration").flatMap((n) => n.specifiers);
  return new Set([...hooks, ...imported.filter((s) => hooks.has(s.imported?.name)).map((s) => s.local.name)]);
}

const isHook = (callee, names) => names.has(callee.name) || hooks.has(callee.property?.name);

/** A node and all below it, without looking into nodes of some types. */
function* within(node, closed = new Set()) {
  yield node;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === "string" && !closed.has(child.type)) {
        yield* within(child, closed);
      }
    }
  }
}
