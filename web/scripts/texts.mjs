// Finds texts for people that stand in components instead of the catalogue in
// src/words: text between tags, and strings that an element is given and that
// read like words, because they begin with a capital letter or have a space.
// Names of classes, addresses, Nestor's own name and what stands in <code> and
// <kbd> do not count.
import { parseSync } from "vite";

const silent = new Set(["className", "style", "href", "src", "d", "viewBox", "rel", "key", "id"]);
const verbatim = new Set(["code", "kbd"]);
const spoken = new Set(["label", "title", "text", "placeholder"]);
// What is shown of an expression ends where something is called or compared.
const ends = new Set([
  "CallExpression",
  "BinaryExpression",
  "ArrowFunctionExpression",
  "MemberExpression",
  "ArrayExpression",
]);
const hasLetters = /\p{L}/u;
const isName = /^\s*Nestor\s*$/;
const readsLikeWords = /^\p{Lu}\p{Ll}|\p{L}\S* \S*\p{L}/u;

/** The texts of a source file, a line for each. */
export function strayTexts(file, source) {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) {
    throw new Error(`${file}: ${errors[0].message}`);
  }
  const found = [];
  const tell = (node, text) =>
    found.push(
      `${file}:${source.slice(0, node.start).split("\n").length}: “${text.trim()}” belongs into src/words`,
    );
  const visit = (node, isShown) => {
    switch (node.type) {
      case "JSXElement":
        if (verbatim.has(node.openingElement.name.name)) {
          return;
        }
        break;
      case "JSXText":
        return hasLetters.test(node.value) && !isName.test(node.value) && tell(node, node.value);
      case "JSXAttribute":
        return node.value && !silent.has(node.name.name) && visit(node.value, true);
      case "JSXExpressionContainer":
        return visit(node.expression, true);
      case "Property":
        return visit(node.value, isShown || spoken.has(node.key.name));
      case "Literal":
        return isShown && typeof node.value === "string" && readsLikeWords.test(node.value)
          ? tell(node, node.value)
          : undefined;
      case "TemplateElement":
        return isShown && readsLikeWords.test(node.value.cooked) && tell(node, node.value.cooked);
    }
    for (const child of childrenOf(node)) {
      visit(child, isShown && !ends.has(node.type));
    }
  };
  visit(program, false);
  return found;
}

const childrenOf = (node) =>
  Object.values(node)
    .flat()
    .filter((child) => typeof child?.type === "string");
