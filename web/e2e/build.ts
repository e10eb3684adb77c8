import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Builds the program with the UI as it is, unless NESTOR_BIN names one. */
export default function build(): (() => void) | undefined {
  if (process.env.NESTOR_BIN) {
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "nestor-e2e-"));
  process.env.NESTOR_BIN = join(folder, "nestor");
  execFileSync("go", ["build", "-o", process.env.NESTOR_BIN, "./cmd/nestor"], {
    cwd: "..",
    stdio: "inherit",
  });
  return () => rmSync(folder, { recursive: true, force: true });
}
