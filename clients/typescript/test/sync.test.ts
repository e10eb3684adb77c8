import "fake-indexeddb/auto";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { addRxPlugin, createRxDatabase, type RxDatabase, type RxStorage } from "rxdb/plugins/core";
import { disableWarnings, RxDBDevModePlugin } from "rxdb/plugins/dev-mode";
import { RxDBMigrationSchemaPlugin } from "rxdb/plugins/migration-schema";
import { type RxReplicationState, replicateRxCollection } from "rxdb/plugins/replication";
import { getRxStorageDexie } from "rxdb/plugins/storage-dexie";
import { getRxStorageMemory } from "rxdb/plugins/storage-memory";
import { wrappedValidateAjvStorage } from "rxdb/plugins/validate-ajv";
import { Client, migrationStrategies } from "../src/index.js";
import { type Server, serve, token } from "./server.js";

disableWarnings();
addRxPlugin(RxDBDevModePlugin);
addRxPlugin(RxDBMigrationSchemaPlugin);

type Schemas = Record<string, Record<string, unknown>>;
type Documents = Record<string, Record<string, unknown>>;

const file = (name: string) => new URL(`../../test/${name}`, import.meta.url);

let server: Server;
let nestor: Client;
let oldest: Schemas; // those of version 0
let schemas: Schemas;

before(async () => {
  server = await serve("--triggers", fileURLToPath(file("no-triggers.json"))); // nobody answers messages
  nestor = new Client({ url: server.url, token });
  oldest = JSON.parse(await readFile(file("schemas-0.json"), "utf8"));
  schemas = await nestor.listReplicationSchemas();
});

after(() => server.stop());

// Both keep what is in them while no database is open.
const storages: Record<string, RxStorage<unknown, unknown>> = { memory: getRxStorageMemory(), IndexedDB: getRxStorageDexie() };

for (const [name, kept] of Object.entries(storages)) {
  test(`a database in ${name} of an older version opens with all that is in it, and goes on`, () => goesOn(wrappedValidateAjvStorage({ storage: kept })));
}

async function goesOn(storage: RxStorage<unknown, unknown>): Promise<void> {
  const ids = await Promise.all(["edited", "deleted", "contested", "still"].map((title) => nestor.createChat({ title })));
  const [edited, deleted, contested, still] = ids.map((chat) => chat.id) as [string, string, string, string];
  await nestor.putDocument(`users/local/orch-chats/${still}/messages/known`, { role: "user", content: "known" });
  await nestor.putDocument(`users/local/orch-chats/${still}/tasks/t-${still}`, { type: "tool", name: "tool:calculator", instruction: "1+1" });
  const scopes: Scope[] = [{ flat: "chats" }, { flat: "tasks", params: { chatId: still } }, { flat: "messages", params: { chatId: still } }];

  const old = await open(storage, oldest);
  for (const scope of scopes.map((scope) => follow(old, scope))) {
    await scope.synced();
    await scope.end();
  }
  const stamps = { version: 0, seq: 9e15, createdSeq: 9e15, createdAt: Date.now(), updatedAt: Date.now() }; // all that version 0 required
  await patch(old, edited, "on the train");
  await patch(old, contested, "mine");
  await (await old["chats"]!.findOne(deleted).exec(true)).remove();
  await old["messages"]!.insert({ ...stamps, id: `unsent-${still}`, userId: "local", chatId: still, role: "user", content: "unsent" });
  const before = { chats: await documents(old, "chats"), messages: await documents(old, "messages"), tasks: await documents(old, "tasks") };
  await old.close();
  await nestor.patchChat(contested, { title: "theirs" });
  await nestor.putDocument(`users/local/orch-chats/${still}/messages/later`, { role: "user", content: "later" });

  const unnumbered = Object.fromEntries(Object.entries(schemas).map(([flat, schema]) => [flat, { ...schema, version: 0 }]));
  await assert.rejects(open(storage, unnumbered), { code: "DB6" });

  const db = await open(storage, schemas);
  assert.deepEqual(await documents(db, "chats"), before.chats);
  assert.deepEqual(await documents(db, "messages"), before.messages);
  const [task] = Object.values(before.tasks);
  assert.ok(task && !("triggerMessageId" in task));
  task["triggerMessageId"] = "";
  assert.deepEqual(await documents(db, "tasks"), before.tasks);
  assert.equal(Object.keys(before.messages).length, 2);

  const [chats, tasks, messages] = scopes.map((scope) => follow(db, scope)) as [Followed, Followed, Followed];
  for (const scope of [chats, tasks, messages]) await scope.synced();
  assert.deepEqual(chats.pushed.sort(), [edited, deleted, contested].sort(), "what was sent before is not sent again");
  assert.deepEqual([tasks.pushed, messages.pushed], [[], [`unsent-${still}`]]);
  assert.ok(!chats.pulled.includes(still) && !messages.pulled.includes("known"), "what was there is not fetched again");
  assert.equal((await nestor.getChat(edited)).title, "on the train");
  assert.equal((await nestor.getChat(contested)).title, "theirs");
  await assert.rejects(nestor.getChat(deleted), { code: "not_found" });
  const said = await nestor.getDocument(`users/local/orch-chats/${still}/messages/unsent-${still}`);
  assert.equal(said["content"], "unsent");

  for (const scope of [chats, messages]) await scope.again();
  const now = { ...(await documents(db, "chats")), ...(await documents(db, "messages")) };
  assert.deepEqual([now[edited]?.["title"], now[contested]?.["title"], now[deleted]], ["on the train", "theirs", undefined]);
  assert.deepEqual([now["later"]?.["content"], now[`unsent-${still}`]?.["content"]], ["later", "unsent"]);
  await db.remove();
}

test("each version before has a strategy that keeps what the schema knows", () => {
  const schema = {
    version: 2,
    required: ["id", "place", "at"],
    properties: { id: {}, place: { default: "" }, at: { default: 7 }, kind: { default: "oak" }, note: {} },
  };
  const strategies = migrationStrategies(schema);
  assert.deepEqual(Object.keys(strategies), ["1", "2"]);
  const document = { id: "d", at: 0, note: "n", gone: true, _rev: "1-x", _attachments: {} };
  assert.deepEqual(strategies[1]?.(document), { id: "d", place: "", at: 0, note: "n", _rev: "1-x", _attachments: {} });
  assert.deepEqual(migrationStrategies({ ...schema, version: 0 }), {});
});

async function open(storage: RxStorage<unknown, unknown>, from: Schemas): Promise<RxDatabase> {
  const db = await createRxDatabase({ name: "copy", storage, multiInstance: false });
  const creators = ["chats", "messages", "tasks"].map((flat) => [flat, { schema: from[flat], migrationStrategies: migrationStrategies(from[flat]!) }]);
  try {
    await db.addCollections(Object.fromEntries(creators));
  } catch (error) {
    await db.close();
    throw error;
  }
  return db;
}

interface Scope {
  flat: string;
  params?: Record<string, string>;
}

/** Makes a document what a server sent that told version 0. */
function asBefore(document: Record<string, unknown>): void {
  if (document["triggerMessageId"] === "") delete document["triggerMessageId"];
}

/** A scope that is kept in step, and what went to and fro for it. */
class Followed {
  readonly pulled: string[] = [];
  readonly pushed: string[] = [];
  readonly #state: RxReplicationState<any, { seq: string }>;

  constructor(db: RxDatabase, { flat, params = {} }: Scope) {
    this.#state = replicateRxCollection<any, { seq: string }>({
      collection: db[flat]!,
      replicationIdentifier: [flat, ...Object.values(params)].join("/"),
      pull: {
        handler: async (checkpoint, limit) => {
          const page = await nestor.pull(flat, { ...params, limit, checkpoint: checkpoint?.seq });
          this.pulled.push(...page.documents.map(({ id }) => id));
          if (db[flat]!.schema.version === 0) page.documents.forEach(asBefore);
          return page;
        },
      },
      push: {
        handler: async (rows) => {
          this.pushed.push(...rows.map((row) => row.newDocumentState.id));
          return await nestor.push(flat, rows as never, params);
        },
      },
    });
    this.#state.error$.subscribe((error) => assert.fail(error));
  }

  /** Waits until nothing is left to send or to fetch. */
  async synced(): Promise<void> {
    await this.#state.awaitInSync();
  }

  async end(): Promise<void> {
    await this.#state.cancel();
  }

  async again(): Promise<void> {
    this.#state.reSync();
    await this.synced();
  }
}

const follow = (db: RxDatabase, scope: Scope): Followed => new Followed(db, scope);

async function patch(db: RxDatabase, id: string, title: string): Promise<void> {
  await (await db["chats"]!.findOne(id).exec(true)).patch({ title });
}

async function documents(db: RxDatabase, flat: string): Promise<Documents> {
  const found = await db[flat]!.find().exec();
  return Object.fromEntries(found.map((document) => [document.primary, document.toMutableJSON()]));
}
