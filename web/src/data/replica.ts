import { replicateRxCollection } from "rxdb/plugins/replication";
import { Subject } from "rxjs";
import { ApiError, request } from "../api/http";
import type { ChangeEvent } from "../api/types";
import { dropCopy } from "./copies";
import { type Database, openDatabase, plain, type Stored } from "./database";
import type { Documents } from "./documents";
import { channel } from "./owner";
import { type Scope, sameIds, scopeName, selectorOf } from "./scope";
import type { LiveEvent } from "./stream";

interface Checkpoint {
  seq: string;
}
type Pulled = { documents: (Stored & { _deleted: boolean })[]; checkpoint: Checkpoint };
type Update = "RESYNC" | Pulled;

const pageSize = 500;

/**
 * The documents that this browser keeps, so that it can show them without the
 * server. The tab that holds the stream brings them up to date, for all tabs:
 * each tells the scopes that it shows.
 */
export class Replica {
  #documents: Documents;
  #database: Promise<Database>;
  #holding = false;
  /** What this tab shows, and what it brings up to date for all. */
  #shown = new Map<string, Scope>();
  #running = new Map<string, { scope: Scope; updates: Subject<Update> }>();
  #tabs = channel("scopes");

  constructor(documents: Documents) {
    this.#documents = documents;
    this.#database = openDatabase("locks" in navigator).catch(() => openDatabase(false));
    this.#database.then((db) => this.#observe(db)).catch(() => {});
    this.#tabs.addEventListener("message", (e: MessageEvent<Scope[] | "who">) => {
      if (e.data === "who") {
        this.#tabs.postMessage([...this.#shown.values()]);
      } else if (this.#holding) {
        this.#keep(e.data);
      }
    });
  }

  /** Makes this the tab that writes. */
  hold(): void {
    this.#holding = true;
    this.#tabs.postMessage("who");
    this.#keep(this.#shown.values());
  }

  /** Shows what is kept of a scope, and keeps it in step from now on. */
  async want(scope: Scope): Promise<void> {
    const name = scopeName(scope);
    if (this.#shown.has(name)) {
      return;
    }
    this.#shown.set(name, scope);
    const db = await this.#database;
    const kept = await db[scope.collection].find({ selector: selectorOf(scope) }).exec();
    this.#documents.put(
      scope.collection,
      kept.map((d) => plain(d.toJSON())),
    );
    if (this.#holding) {
      this.#keep([scope]);
    } else {
      this.#tabs.postMessage([scope]);
    }
  }

  /** Passes on what the stream tells. */
  apply(event: LiveEvent): void {
    if (event.kind === "change") {
      for (const { scope, updates } of this.#running.values()) {
        if (matches(scope, event.change)) {
          updates.next(updateOf(event.change));
        }
      }
    } else if (event.kind === "open" || event.kind === "resync") {
      for (const { updates } of this.#running.values()) {
        updates.next("RESYNC");
      }
    }
  }

  /** Keeps scopes in step, unless the browser cannot keep anything: pages ask for what they show anyway. */
  #keep(scopes: Iterable<Scope>): void {
    for (const scope of scopes) {
      this.#start(scope).catch(() => {});
    }
  }

  async #start(scope: Scope): Promise<void> {
    const name = scopeName(scope);
    const db = await this.#database;
    if (this.#running.has(name)) {
      return;
    }
    const updates = new Subject<Update>();
    this.#running.set(name, { scope, updates });
    replicateRxCollection<Stored, Checkpoint>({
      collection: db[scope.collection],
      replicationIdentifier: name,
      waitForLeadership: false,
      pull: {
        batchSize: pageSize,
        handler: (checkpoint) => this.#pull(scope, checkpoint),
        stream$: updates.asObservable(),
      },
    });
  }

  async #pull(scope: Scope, checkpoint: Checkpoint | undefined): Promise<Pulled> {
    const params = new URLSearchParams({
      ...selectorOf(scope),
      checkpoint: checkpoint?.seq ?? "",
      limit: String(pageSize),
    });
    try {
      return await request<Pulled>("GET", `/replication/${scope.collection}/pull?${params}`);
    } catch (e) {
      if (e instanceof ApiError && e.code === "too_old") {
        dropCopy(); // the server no longer knows what was deleted since
        location.reload();
      }
      throw e;
    }
  }

  /** Shows every write to the copy, whichever tab made it. */
  #observe(db: Database): void {
    db.eventBulks$.subscribe(({ collectionName, events }) => {
      const collection = collectionName as Scope["collection"];
      const changed = events.filter((e) => e.operation !== "DELETE").map((e) => plain(e.documentData));
      this.#documents.put(collection, changed as never[]);
      for (const e of events) {
        if (e.operation === "DELETE") {
          this.#documents.remove(collection, e.documentId);
        }
      }
    });
  }
}

const matches = (scope: Scope, { collection, document }: ChangeEvent): boolean =>
  collection === scope.collection && (!document || sameIds(scope, document));

function updateOf({ document, seq }: ChangeEvent): Update {
  if (!document) {
    return "RESYNC"; // the server knows what is left of it
  }
  return { documents: [{ ...document, _deleted: false }], checkpoint: { seq: String(seq) } };
}
