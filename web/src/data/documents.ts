import type { CollectionName, Collections, Meta } from "../api/types";

type Listener = () => void;
type Shelf<T> = Map<string, T>;

/**
 * The documents that views read, in memory. They come from the event stream,
 * from requests and from what the browser keeps; the newest version wins
 * whatever the order.
 *
 * A list is the same array until a document of its collection changes, so views
 * can compare it by identity.
 */
export class Documents {
  #shelves = new Map<CollectionName, Shelf<Meta>>();
  #deleted = new Set<string>();
  #lists = new Map<string, readonly Meta[]>();
  #listeners = new Map<CollectionName, Set<Listener>>();

  put<C extends CollectionName>(collection: C, documents: readonly Collections[C][]): void {
    const shelf = this.#shelf(collection);
    let changed = false;
    for (const d of documents) {
      const old = shelf.get(d.id);
      if (!this.#deleted.has(`${collection}/${d.id}`) && (!old || old.version < d.version)) {
        shelf.set(d.id, d);
        changed = true;
      }
    }
    if (changed) {
      this.#changed(collection);
    }
  }

  remove(collection: CollectionName, id: string): void {
    this.#deleted.add(`${collection}/${id}`);
    if (this.#shelf(collection).delete(id)) {
      this.#changed(collection);
    }
  }

  get<C extends CollectionName>(collection: C, id: string): Collections[C] | undefined {
    return this.#shelf(collection).get(id) as Collections[C] | undefined;
  }

  /** The documents of which a field has a value, or all, in the order of the conversation. */
  list<C extends CollectionName>(
    collection: C,
    field?: keyof Collections[C] & string,
    value?: string,
  ): readonly Collections[C][] {
    const key = `${collection}/${field ?? ""}/${value ?? ""}`;
    let list = this.#lists.get(key) as readonly Collections[C][] | undefined;
    if (!list) {
      const all = [...this.#shelf(collection).values()] as Collections[C][];
      list = (field ? all.filter((d) => d[field] === value) : all).sort(byOrder);
      this.#lists.set(key, list);
    }
    return list;
  }

  subscribe(collection: CollectionName, listener: Listener): () => void {
    const listeners = this.#listeners.get(collection) ?? new Set();
    this.#listeners.set(collection, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  #shelf(collection: CollectionName): Shelf<Meta> {
    let shelf = this.#shelves.get(collection);
    if (!shelf) {
      shelf = new Map();
      this.#shelves.set(collection, shelf);
    }
    return shelf;
  }

  #changed(collection: CollectionName): void {
    for (const key of this.#lists.keys()) {
      if (key.startsWith(`${collection}/`)) {
        this.#lists.delete(key);
      }
    }
    for (const listener of this.#listeners.get(collection) ?? []) {
      listener();
    }
  }
}

/** Order inside a conversation: by time, and where that is equal by who came first, whatever was updated since. */
function byOrder(a: Meta, b: Meta): number {
  return a.createdAt - b.createdAt || a.createdSeq - b.createdSeq;
}
