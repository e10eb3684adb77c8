import { cancelRun, listRuns } from "../api/calls";
import { ApiError, explain } from "../api/http";
import { KeptList } from "./keptlist";

interface Stop {
  runId: string;
  at: number;
  /** The chat of a message that the server may not have: then there is no such run. */
  maybeIn?: string;
}

/** For how long a message that was stopped may still be on its way to the server. */
const onItsWay = 15_000;
const pause = 1000;

/**
 * Runs that a person stopped and of which the server does not know that yet. They outlast
 * the page, and are stopped as soon as the server is there.
 */
export class Stops {
  #kept = new KeptList<Stop>("stops");
  #error = "";
  #busy = false;
  #stopped: (runId: string) => void;

  /** Stopped is told of what the server has stopped: then it has the message. */
  constructor(stopped: (runId: string) => void) {
    this.#stopped = stopped;
  }

  /** Takes up what the owner of the page has stopped. */
  open(): void {
    this.#kept.open();
  }

  list(): readonly Stop[] {
    return this.#kept.all();
  }

  /** Why the last one was refused. */
  error(): string {
    return this.#error;
  }

  subscribe(listener: () => void): () => void {
    return this.#kept.subscribe(listener);
  }

  /** Stops runs. */
  add(...runIds: string[]): void {
    this.#add(runIds.map((runId) => ({ runId, at: Date.now() })));
  }

  /** Stops the run of a message, if the server has it or gets it yet. */
  addMaybe(runId: string, chatId: string): void {
    this.#add([{ runId, at: Date.now(), maybeIn: chatId }]);
  }

  #add(stops: readonly Stop[]): void {
    this.#error = "";
    this.#kept.save([
      ...this.list(),
      ...stops.filter(({ runId }) => !this.list().some((s) => s.runId === runId)),
    ]);
    void this.flush();
  }

  /** A message that was stopped is to be sent after all. */
  forget(runId: string): void {
    this.#kept.save(this.list().filter((s) => s.runId !== runId));
  }

  /** Stops what can be stopped. Without a server the rest stays, until this is called again. */
  async flush(): Promise<void> {
    if (this.#busy) {
      return;
    }
    this.#busy = true;
    try {
      let early = false;
      for (const stop of this.list()) {
        early = !(await this.#stop(stop)) || early;
      }
      if (early) {
        setTimeout(() => void this.flush(), pause);
      }
    } catch {
      // Offline or signed out: they stay.
    } finally {
      this.#busy = false;
    }
  }

  /** Reports whether it is done: the server may not have the message yet that begins the run. */
  async #stop({ runId, at, maybeIn }: Stop): Promise<boolean> {
    try {
      // To ask for a run that is not there would be an error in the console.
      if (maybeIn !== undefined && !(await listRuns(maybeIn)).items.some((r) => r.id === runId)) {
        if (Date.now() - at < onItsWay) {
          return false;
        }
      } else {
        await cancelRun(runId);
        this.#stopped(runId);
      }
    } catch (e) {
      if (!(e instanceof ApiError) || e.code === "offline" || e.status === 401 || e.status >= 500) {
        throw e;
      }
      if (e.code !== "not_found") {
        this.#error = explain(e);
      }
    }
    this.forget(runId);
    return true;
  }
}
