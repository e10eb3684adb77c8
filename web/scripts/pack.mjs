// Compresses what was built, for the server to keep and send; tells the service
// worker what there is; and prints how much a browser loads before it shows
// anything. More than the limit fails the build.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const dist = new URL("../../internal/webui/dist/", import.meta.url);
const limit = 200_000;
const sizes = new Map();
for (const name of readdirSync(new URL("assets/", dist))) {
  const packed = gzipSync(readFileSync(new URL(`assets/${name}`, dist)), { level: 9 });
  writeFileSync(new URL(`assets/${name}.gz`, dist), packed);
  rmSync(new URL(`assets/${name}`, dist));
  sizes.set(`assets/${name}`, packed.length);
}

const page = readFileSync(new URL("index.html", dist), "utf8");
const named = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map((m) => m[1]);
const initial = named.filter((name) => /\.(?:js|css)$/.test(name));

// Libraries that parts of a text need, and fonts, are kept when they were used.
const isOnDemand = (name) => /^assets\/(?:lib-|diagram)|\.woff2$/.test(name) && !named.includes(name);
const lists = {
  files: ["favicon.svg", ...[...sizes.keys()].filter((name) => !isOnDemand(name))],
  onDemand: [...sizes.keys()].filter(isOnDemand),
};
const worker = new URL("sw.js", dist);
let source = readFileSync(worker, "utf8");
for (const [list, names] of Object.entries(lists)) {
  source = source.replace(`const ${list} = []`, `const ${list} = ${JSON.stringify(names)}`);
}
writeFileSync(worker, source);

const total = initial.reduce((sum, name) => sum + sizes.get(name), 0);
console.log(
  `initial load: ${(total / 1000).toFixed(1)} kB gz of at most ${limit / 1000} kB (${initial.join(", ")})`,
);
if (total > limit) {
  process.exit(1);
}
