// Fails if an effect of the UI may return something by accident; see effects.mjs.
import { readdirSync, readFileSync } from "node:fs";
import { wrongEffects } from "./effects.mjs";

const files = readdirSync("src", { recursive: true }).filter((name) => /\.tsx?$/.test(name));
const problems = files.flatMap((name) => wrongEffects(`src/${name}`, readFileSync(`src/${name}`, "utf8")));
if (files.length === 0 || problems.length > 0) {
  console.error(problems.join("\n") || "there is nothing to check");
  process.exit(1);
}
