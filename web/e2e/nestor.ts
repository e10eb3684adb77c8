import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Address } from "./address";

export const token = "e2e-token";

/** A running server with a folder of its own. It can be stopped and started again at the same address. */
export class Nestor {
  url = "";
  /** The link that signs one browser in. */
  entrance = "";
  #address = new Address();
  #data = mkdtempSync(join(tmpdir(), "nestor-data-"));
  #process: ChildProcess | undefined;
  #env: Record<string, string>;
  #flags: string[];

  /** Each setting is a file that a flag of its name tells the server about. */
  constructor(env: Record<string, string>, settings: Record<string, unknown> = {}) {
    this.#env = env;
    this.#flags = Object.entries(settings).flatMap(([name, value]) => {
      const file = join(this.#data, `${name}.json`);
      writeFileSync(file, JSON.stringify(value));
      return [`--${name}`, file];
    });
  }

  async start(): Promise<void> {
    const child = spawn(
      process.env.NESTOR_BIN ?? "nestor",
      ["serve", "--data", this.#data, "--addr", "127.0.0.1:0", ...this.#flags],
      { env: { PATH: process.env.PATH, HOME: this.#data, ...this.#env, NESTOR_TOKEN: token } },
    );
    this.#process = child;
    const link = await new Promise<string>((resolve, reject) => {
      let output = "";
      const read = (chunk: Buffer) => {
        output += chunk.toString();
        const found = /http:\S+token=\S+/.exec(output);
        if (found) {
          resolve(found[0]);
        }
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      child.on("exit", () => reject(new Error(`the server ended: ${output}`)));
    });
    const own = new URL(link);
    this.url = await this.#address.leadTo(Number(own.port));
    this.entrance = this.url + own.pathname + own.search;
  }

  /** With SIGKILL it ends as by a power failure. */
  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    const child = this.#process;
    this.#address.leadNowhere();
    if (child && child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill(signal);
      await ended;
    }
  }

  async remove(): Promise<void> {
    await this.stop();
    this.#address.close();
    rmSync(this.#data, { recursive: true, force: true });
  }

  /** Brings documents in as `nestor import` does, by their paths: nobody writes by the API what the runtime says. */
  imports(documents: Record<string, Record<string, unknown>>): void {
    const now = Date.now();
    const lines = Object.entries(documents).map(([path, data], i) =>
      JSON.stringify({ path, createdAt: now + i, updatedAt: now + i, data }),
    );
    const done = spawnSync(process.env.NESTOR_BIN ?? "nestor", ["import", "--data", this.#data], {
      env: { PATH: process.env.PATH, HOME: this.#data, ...this.#env },
      input: lines.join("\n"),
    });
    if (done.status !== 0) {
      throw new Error(`the import failed: ${done.stderr.toString()}`);
    }
  }

  /** Calls the API as the person who runs the server. */
  async api<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!response.ok) {
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    }
    return (response.status === 204 ? undefined : await response.json()) as T;
  }
}
