import { own } from "./owner";

/** A list that the owner of the page keeps in the browser. It outlasts the page, and all tabs have the same. */
export class KeptList<T> {
  #name: string;
  #list: readonly T[] = [];
  #listeners = new Set<() => void>();

  constructor(name: string) {
    this.#name = name;
  }

  /** Takes up what the owner has left, and follows what other tabs make of it. */
  open(): void {
    this.read();
    own.onChange(this.#name, () => this.read());
  }

  /** Reads what is kept: another tab may have changed it this moment. */
  read(): void {
    try {
      this.#list = JSON.parse(own.get(this.#name) ?? "[]") as T[];
    } catch {
      this.#list = [];
    }
    this.#notify();
  }

  all(): readonly T[] {
    return this.#list;
  }

  save(list: readonly T[]): void {
    this.#list = list;
    own.set(this.#name, JSON.stringify(list));
    this.#notify();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #notify(): void {
    for (const listener of this.#listeners) {
      listener();
    }
  }
}
