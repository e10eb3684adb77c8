import { createRxDatabase, type RxCollection, type RxDatabase, type RxJsonSchema } from "rxdb/plugins/core";
import { getRxStorageDexie } from "rxdb/plugins/storage-dexie";
import { getRxStorageMemory } from "rxdb/plugins/storage-memory";
import { ApiError, request } from "../api/http";
import { type CollectionName, type Collections, collectionNames } from "../api/types";
import { named } from "../base";
import { nameCopy } from "./copies";

export type Stored = Record<string, unknown> & { id: string; version: number };
export type Database = RxDatabase<Record<CollectionName, RxCollection<Stored>>>;
type Schemas = Record<CollectionName, RxJsonSchema<Stored>>;

const schemasKey = named("nestor.schemas");

/**
 * Opens the copy of the documents that this browser keeps for its owner. It has
 * the schemas of the server; when those change it begins anew.
 *
 * Where tabs cannot agree on who writes, each keeps its own copy in memory.
 */
export async function openDatabase(shared: boolean): Promise<Database> {
  const text = JSON.stringify(await schemas());
  const options = { name: await nameCopy(await hash(text)), multiInstance: shared, hashFunction: hash };
  const db: Database = shared
    ? await createRxDatabase({ ...options, storage: getRxStorageDexie() })
    : await createRxDatabase({ ...options, storage: getRxStorageMemory() });
  const all = JSON.parse(text) as Schemas;
  type Creators = Record<CollectionName, { schema: RxJsonSchema<Stored>; autoMigrate: boolean }>;
  const creators = collectionNames.map((c) => [c, { schema: all[c], autoMigrate: false }]); // see nameCopy
  await db.addCollections(Object.fromEntries(creators) as Creators);
  return db;
}

const pause = 1000;

/** The server's schemas, or those of the last time. A browser that has none waits for the server. */
async function schemas(): Promise<Schemas> {
  for (;;) {
    try {
      const fresh = await request<Schemas>("GET", "/replication/schemas");
      localStorage.setItem(schemasKey, JSON.stringify(fresh));
      return fresh;
    } catch (e) {
      const kept = localStorage.getItem(schemasKey);
      if (kept) {
        return JSON.parse(kept) as Schemas;
      }
      if (!(e instanceof ApiError) || e.code !== "offline") {
        throw e;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** For names only; the browser's own hashes exist on secure origins alone. */
async function hash(input: string | ArrayBuffer | Blob): Promise<string> {
  const text = String(input); // RxDB passes text unless there are attachments
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    a = Math.imul(a ^ c, 2654435761);
    b = Math.imul(b ^ c, 1597334677);
  }
  return [a, b].map((n) => (n >>> 0).toString(16).padStart(8, "0")).join("");
}

/** A document without what only RxDB needs. */
export function plain<C extends CollectionName>(stored: object): Collections[C] {
  return Object.fromEntries(
    Object.entries(stored).filter(([k]) => !k.startsWith("_")),
  ) as unknown as Collections[C];
}
