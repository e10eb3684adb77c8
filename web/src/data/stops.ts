import { cancelRun, listRuns } from "../api/calls";
import { ApiError, explain } from "../api/http";
import { own } from "./owner";

interface Stop {
  runId: string;
  at: number;
  /** The chat of a message that the server may not have: then there is no such run. */
  maybeIn?: string;
}

const name = "stops";
/** For how long a message that was stopped may still be on its way to the server. */
const onItsWay = 15_000;
const pause = 1000;

/**
 * Runs that a person stopped and of which the server does not know that yet. They outlast
 * the page, and are stopped as soon as the server is there.
 */
export class Stops {
  #list: readonly Stop[] = [];
  #error = "";
  #listeners = new Set<() => void>();
  #busy = false;
  #stopped: (runId: string) => void;

  /** Stopped is told of what the server has stopped: then it has the message. */
  constructor(stopped: (runId: string) => void) {
    this.#stopped = stopped;
  }

  /** Takes up what the owner of the page has stopped. */
  open(): void {
    const read = () => {
      this.#list = load();
      this.#notify();
    };
    read();
    own.onChange(name, read);
  }

  list(): readonly Stop[] {
    return this.#list;
  }

  /** Why the last one was refused. */
  error(): string {
    return this.#error;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
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
    this.#save([...this.#list, ...stops.filter(({ runId }) => !this.#list.some((s) => s.runId === runId))]);
    void this.flush();
  }

  /** A message that was stopped is to be sent after all. */
  forget(runId: string): void {
    this.#save(this.#list.filter((s) => s.runId !== runId));
  }

  /** Stops what can be stopped. Without a server the rest stays, until this is called again. */
  async flush(): Promise<void> {
    if (this.#busy) {
      return;
    }
    this.#busy = true;
    try {
      let early = false;
      for (const stop of this.#list) {
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

  #save(list: readonly Stop[]): void {
    this.#list = list;
    own.set(name, JSON.stringify(list));
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) {
      listener();
    }
  }
}

function load(): Stop[] {
  try {
    return JSON.parse(own.get(name) ?? "[]") as Stop[];
  } catch {
    return [];
  }
}
