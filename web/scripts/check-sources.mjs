// Fails if a source of the UI has an effect that may return something by
// accident (effects.mjs) or a text that is not in the catalogue (texts.mjs).
import { readdirSync, readFileSync } from "node:fs";
import { wrongEffects } from "./effects.mjs";
import { strayTexts } from "./texts.mjs";

const names = readdirSync("src", { recursive: true }).filter((name) => /(?<!\.test)\.tsx?$/.test(name));
const problems = names.flatMap((name) => {
  const [file, source] = [`src/${name}`, readFileSync(`src/${name}`, "utf8")];
  return [...wrongEffects(file, source), ...(name.startsWith("words/") ? [] : strayTexts(file, source))];
});
if (names.length === 0 || problems.length > 0) {
  console.error(problems.join("\n") || "there is nothing to check");
  process.exit(1);
}
