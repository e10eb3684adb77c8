import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

export const token = "a-token-for-the-tests";

export interface Server {
  url: string;
  stop(): Promise<void>;
}

/** Runs the program that NESTOR_BINARY names, with the demo model, which answers without any AI, and with other flags. */
export async function serve(...flags: string[]): Promise<Server> {
  const binary = process.env["NESTOR_BINARY"];
  if (!binary) throw new Error("set NESTOR_BINARY to the nestor program: make build makes bin/nestor");
  const data = await mkdtemp(join(tmpdir(), "nestor-client-"));
  const child = spawn(binary, ["serve", "--data", data, "--addr", "127.0.0.1:0", "--log-level", "error", ...flags], {
    env: { PATH: process.env["PATH"], NESTOR_TOKEN: token },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await listening(child);
  return {
    url,
    async stop() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
      await rm(data, { recursive: true });
    },
  };
}

function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    child.once("error", reject);
    if (!child.stdout) return;
    createInterface(child.stdout).on("line", (line) => {
      const url = /serving (http:\S+)/.exec(line)?.[1];
      if (url) resolve(url);
    });
  });
}
