import { useEffect, useMemo, useSyncExternalStore } from "react";
import { listLatestRuns, type RunState } from "../api/find";
import type { Chat, Task } from "../api/types";
import { type Activity, activity } from "./activity";
import { live } from "./store";

type Listener = () => void;

/**
 * Which chats are at work. There are as many runs as messages, so they are not kept as other
 * documents: the latest are read when the stream begins, and it tells of the rest.
 */
class RunStates {
  #byId = new Map<string, RunState>();
  #list: readonly RunState[] = [];
  #listeners = new Set<Listener>();
  #read = -1;

  constructor() {
    live.watch(({ collection, document }) => {
      if (collection === "runs" && document) {
        this.#put([document as unknown as RunState]);
      }
    });
  }

  list = () => this.#list;

  subscribe = (fn: Listener) => {
    this.#listeners.add(fn);
    return () => this.#listeners.delete(fn);
  };

  /** Reads the latest runs, once for each time that the stream began. */
  read(begun: number): void {
    if (begun > this.#read) {
      this.#read = begun;
      listLatestRuns().then(
        ({ items }) => this.#put(items),
        () => {
          this.#read = -1; // when the server is back
        },
      );
    }
  }

  #put(runs: readonly RunState[]): void {
    for (const run of runs) {
      if (run.version > (this.#byId.get(run.id)?.version ?? 0)) {
        this.#byId.set(run.id, run);
      }
    }
    this.#list = [...this.#byId.values()];
    for (const fn of this.#listeners) {
      fn();
    }
  }
}

const runs = new RunStates();
const subscribeLive = (fn: Listener) => live.subscribe(fn);

/** What goes on in each chat: somebody is waited for, or something is at work. */
export function useActivity(chats: readonly Chat[], tasks: readonly Task[]): ReadonlyMap<string, Activity> {
  const begun = useSyncExternalStore(subscribeLive, () => live.begun);
  const states = useSyncExternalStore(runs.subscribe, runs.list);
  useEffect(() => {
    runs.read(begun);
  }, [begun]);
  return useMemo(() => activity(chats, tasks, states), [chats, tasks, states]);
}
