// Compresses what was built, for the server to send; tells the service worker
// what there is; and prints how much a browser loads before it shows anything.
// More than the limit fails the build.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const dist = new URL("../../internal/webui/dist/", import.meta.url);
const limit = 200_000;
const sizes = new Map();
for (const name of readdirSync(new URL("assets/", dist))) {
  const packed = gzipSync(readFileSync(new URL(`assets/${name}`, dist)), { level: 9 });
  writeFileSync(new URL(`assets/${name}.gz`, dist), packed);
  sizes.set(`/assets/${name}`, packed.length);
}

const worker = new URL("sw.js", dist);
const files = JSON.stringify(["/favicon.svg", ...sizes.keys()]);
writeFileSync(worker, readFileSync(worker, "utf8").replace("const files = []", `const files = ${files}`));

const page = readFileSync(new URL("index.html", dist), "utf8");
const initial = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((m) => m[1]);
const total = initial.reduce((sum, name) => sum + sizes.get(name), 0);
console.log(
  `initial load: ${(total / 1000).toFixed(1)} kB gz of at most ${limit / 1000} kB (${initial.join(", ")})`,
);
if (total > limit) {
  process.exit(1);
}
