import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Builds the program with the UI as it is, unless NESTOR_BIN names one. */
export default function build(): void {
  if (process.env.NESTOR_BIN) {
    return;
  }
  const binary = join(mkdtempSync(join(tmpdir(), "nestor-e2e-")), "nestor");
  execFileSync("go", ["build", "-o", binary, "./cmd/nestor"], { cwd: "..", stdio: "inherit" });
  process.env.NESTOR_BIN = binary;
}
