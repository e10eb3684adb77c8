import { listRuns } from "../api/calls";
import type { ChangeEvent, Message, Run } from "../api/types";

type Known = Pick<Run, "chatId" | "status"> & { id: string; version: number };

/** Which runs are under way, as far as the stream has told and a chat that was opened asked for. */
export class OpenRuns {
  #status = new Map<string, Known>();
  #running: readonly Known[] = [];
  #listeners = new Set<() => void>();

  apply(change: ChangeEvent): void {
    if (change.collection !== "runs") {
      return;
    }
    const run = change.document as Run | null | undefined;
    const { chatId, status = "cancelled", version = Number.MAX_SAFE_INTEGER } = run ?? {}; // one that is gone stays so
    this.#put([{ id: change.id, chatId, status, version }]);
  }

  /** A message that the server took has begun a run, of which the stream tells a moment later. */
  began({ id, runId = id, chatId }: Message): void {
    if (!this.#status.has(runId)) {
      this.#put([{ id: runId, chatId, status: "running", version: 0 }]);
    }
  }

  /**
   * Reads which runs of a chat are under way; those that are not among them have ended. The stream may tell
   * something newer before the answer comes, which counts.
   */
  async read(chatId: string): Promise<void> {
    const before = this.#running.filter((r) => r.chatId === chatId);
    const { items } = await listRuns(chatId, "running");
    const found = items.map(({ id = "", status, version = 0 }) => ({ id, chatId, status, version }));
    const ids = new Set(found.map((r) => r.id));
    const ended = before.filter((r) => !ids.has(r.id) && this.#status.get(r.id) === r);
    this.#put([...found, ...ended.map((r): Known => ({ ...r, status: "success" }))]);
  }

  running(): readonly Known[] {
    return this.#running;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #put(runs: readonly Known[]): void {
    for (const run of runs) {
      if (run.version >= (this.#status.get(run.id)?.version ?? 0)) {
        this.#status.set(run.id, run);
      }
    }
    this.#running = [...this.#status.values()].filter((r) => r.status === "running");
    for (const listener of this.#listeners) {
      listener();
    }
  }
}
