import { listChatRuns, type Run } from "../api/runs";
import { live } from "../data/store";

/** The newest runs of a chat, for all of its messages together: they are read once, then kept up to date. */
class Known {
  #chatId: string;
  #runs = new Map<string, Run>();
  #listeners = new Set<() => void>();
  #began = -1;

  constructor(chatId: string) {
    this.#chatId = chatId;
    live.watch(({ collection, document }) => {
      const run = document as unknown as Run | undefined;
      if (collection === "runs" && run?.chatId === chatId) {
        this.#put([run]);
      }
    });
  }

  readonly get = (id: string): Run | undefined => this.#runs.get(id);

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Reads them once for each time that the stream began. */
  load(): void {
    if (this.#began === live.begun) {
      return;
    }
    this.#began = live.begun;
    listChatRuns(this.#chatId).then(
      (runs) => this.#put(runs),
      () => {}, // a chip without numbers still leads to the run
    );
  }

  #put(runs: readonly Run[]): void {
    for (const run of runs) {
      const old = this.#runs.get(run.id);
      if (!old || old.version <= run.version) {
        this.#runs.set(run.id, run);
      }
    }
    for (const listener of this.#listeners) {
      listener();
    }
  }
}

const chats = new Map<string, Known>();

export function runsOf(chatId: string): Known {
  let known = chats.get(chatId);
  if (!known) {
    known = new Known(chatId);
    chats.set(chatId, known);
  }
  return known;
}
