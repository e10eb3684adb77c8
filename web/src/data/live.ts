import {
  type ChangeEvent,
  type CollectionName,
  type Collections,
  collectionNames,
  type DeltaEvent,
} from "../api/types";
import { Documents } from "./documents";
import { cut, type Draft, joined } from "./drafts";
import type { LiveEvent } from "./stream";

type Listener = () => void;
type Watcher = (change: ChangeEvent) => void;

/** Everything the views show: documents, drafts, and whether the server is there. */
export class Live {
  readonly documents = new Documents();
  /** Unknown at first, so that no page begins with an alarm. */
  online: boolean | undefined;
  /** How often the stream began. Of what was before it does not tell. */
  begun = 0;
  #drafts = new Map<string, Draft>();
  #draftList: readonly Draft[] = [];
  #listeners = new Set<Listener>();
  #watchers = new Set<Watcher>();
  #drawing = false;

  apply(event: LiveEvent): void {
    switch (event.kind) {
      case "change":
        this.#change(event.change);
        break;
      case "delta":
        this.#delta(event.delta);
        break;
      case "open":
        this.begun++;
        this.online = true;
        this.#notify();
        if (event.anew) {
          this.#cutDrafts();
        }
        break;
      case "resync":
        this.#cutDrafts();
        break;
      case "closed":
        this.online = false;
        this.#notify();
        break;
    }
  }

  /** The drafts to draw: the same list until the next frame. */
  drafts(): readonly Draft[] {
    return this.#draftList;
  }

  /** The drafts as they are now, also in a tab that is hidden and draws nothing. */
  latestDrafts(): readonly Draft[] {
    return [...this.#drafts.values()];
  }

  /** What another tab knows of drafts, for one that was not there when they began. */
  takeDrafts(drafts: readonly Draft[]): void {
    for (const d of drafts) {
      if (!this.#drafts.has(d.path) && !this.#written(d)) {
        this.#drafts.set(d.path, d);
      }
    }
    this.#draftsChanged();
  }

  /** What goes on being said is told anew. */
  #cutDrafts(): void {
    this.#drafts = new Map(
      [...this.#drafts.values()].flatMap((d) => cut(d, this.#newest) ?? []).map((d) => [d.path, d]),
    );
    this.#draftsChanged();
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells of every change, also in collections that are not kept. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  #change(change: ChangeEvent): void {
    for (const watcher of this.#watchers) {
      watcher(change);
    }
    const { collection, document, id, path } = change;
    if (!isKept(collection)) {
      return;
    }
    if (document) {
      this.documents.put(collection, [document as unknown as Collections[typeof collection]]);
    } else {
      this.documents.remove(collection, id);
    }
    if (this.#drafts.delete(path)) {
      this.#draftsChanged();
    }
  }

  #delta(delta: DeltaEvent): void {
    if (this.#written(delta)) {
      return;
    }
    const next = joined(this.#drafts.get(delta.path), delta, this.#newest);
    if (next) {
      this.#drafts.set(delta.path, next);
    } else {
      this.#drafts.delete(delta.path);
    }
    this.#draftsChanged();
  }

  /** The createdSeq of the newest message of a chat. */
  #newest = (chatId: string) => this.documents.list("messages", "chatId", chatId).at(-1)?.createdSeq ?? 0;

  #written({ id, subAgentId }: { id: string; subAgentId?: string }): boolean {
    return this.documents.get(subAgentId ? "sub_agent_messages" : "messages", id) !== undefined;
  }

  /** Tokens come faster than a screen can show them: once per frame is enough. */
  #draftsChanged(): void {
    if (this.#drawing) {
      return;
    }
    this.#drawing = true;
    requestAnimationFrame(() => {
      this.#drawing = false;
      this.#draftList = [...this.#drafts.values()];
      this.#notify();
    });
  }

  #notify(): void {
    for (const listener of this.#listeners) {
      listener();
    }
  }
}

function isKept(collection: string): collection is CollectionName {
  return (collectionNames as string[]).includes(collection);
}
