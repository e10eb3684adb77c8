// Browser tabs without the browser: each is a real RxDB that replicates with
// the server under test. The process reads commands, one JSON object per line,
// carries them out one after the other and answers each with a line. Nothing
// here waits for time to pass; it waits for states.
import { createInterface } from 'node:readline';
import { addRxPlugin, createRxDatabase } from 'rxdb/plugins/core';
import { disableWarnings, RxDBDevModePlugin } from 'rxdb/plugins/dev-mode';
import { RxDBMigrationSchemaPlugin } from 'rxdb/plugins/migration-schema';
import { replicateRxCollection } from 'rxdb/plugins/replication';
import { getRxStorageMemory } from 'rxdb/plugins/storage-memory';
import { wrappedValidateAjvStorage } from 'rxdb/plugins/validate-ajv';
import { BehaviorSubject, filter, firstValueFrom, map, Subject } from 'rxjs';

disableWarnings();
addRxPlugin(RxDBDevModePlugin); // checks schemas as strictly as RxDB can
addRxPlugin(RxDBMigrationSchemaPlugin); // RxDB wants it for every schema whose version is not 0
const storage = wrappedValidateAjvStorage({ storage: getRxStorageMemory() }); // and documents

const retryTime = 20; // how soon a tab tries again when the server is away
const patience = 60_000; // how long a state may take to come before the command fails

const query = (params) => new URLSearchParams(params).toString();
const newDatabase = () => createRxDatabase({ name: `tab${crypto.randomUUID().replaceAll('-', '')}`, storage, multiInstance: false });
// migrations has nothing to do: a tab's database is always new.
const migrations = ({ version }) => Object.fromEntries(Array.from({ length: version }, (_, i) => [i + 1, (doc) => doc]));
const noStats = () => ({ pulls: 0, pulled: 0, pushes: 0, conflicts: 0, errors: [] });

// matches reports whether a document has the wanted fields; null wants none.
const matches = (doc, want) => (want === null ? !doc : doc && Object.entries(want).every(([field, value]) => doc.get(field) === value));

class Tab {
  replications = new Map(); // scope name → replication
  streams = new Map(); // scope name → what the server streams for it
  resyncs = new BehaviorSubject(0); // how often the stream has opened
  stats = noStats();
  online = true;
  closed = false;

  async request(path, options = {}) {
    if (!this.online) throw new Error('offline');
    const response = await fetch(this.url + path, { ...options, headers: { 'X-User': this.user, 'Content-Type': 'application/json' } });
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    return response;
  }

  // follow keeps one stream open for all scopes.
  async follow() {
    while (!this.closed) {
      try {
        this.connection = new AbortController();
        const names = [...this.streams.keys()].map((name) => ['scope', name]);
        const response = await this.request(`/stream?${query(names)}`, { signal: this.connection.signal });
        let rest = '';
        for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
          const events = (rest + text).split('\n\n');
          rest = events.pop();
          for (const event of events) this.receive(event);
        }
      } catch {
        // The server is away, or we are.
      }
      await new Promise((done) => setTimeout(done, retryTime));
    }
  }

  receive(event) {
    if (!event.startsWith('data: ')) return;
    const data = event.slice('data: '.length);
    if (data === 'RESYNC') {
      for (const stream of this.streams.values()) stream.next('RESYNC');
      this.resyncs.next(this.resyncs.value + 1);
      return;
    }
    const { scope, documents, checkpoint } = JSON.parse(data);
    this.streams.get(scope).next({ documents, checkpoint });
  }

  replicate({ flat, name, params }, batchSize) {
    const stream = new Subject();
    this.streams.set(name, stream);
    const replication = replicateRxCollection({
      collection: this.db[flat],
      replicationIdentifier: name,
      live: true,
      retryTime,
      pull: {
        batchSize,
        stream$: stream,
        handler: async (checkpoint, limit) => {
          const position = { ...params, limit, checkpoint: checkpoint?.seq ?? '' };
          const page = await (await this.request(`/${flat}/pull?${query(position)}`)).json();
          this.stats.pulls++;
          this.stats.pulled += page.documents.length;
          return page;
        },
      },
      push: {
        // A collection may hold several scopes; each sends what is its own.
        modifier: (doc) => (Object.entries(params).every(([field, id]) => doc[field] === id) ? doc : null),
        handler: async (rows) => {
          const response = await this.request(`/${flat}/push?${query(params)}`, { method: 'POST', body: JSON.stringify(rows) });
          const masters = await response.json();
          this.stats.pushes++;
          this.stats.conflicts += masters.length;
          return masters;
        },
      },
    });
    replication.error$.subscribe((error) => this.stats.errors.push(JSON.stringify(error.parameters?.errors ?? error)));
    this.replications.set(name, replication);
  }

  all(flat, sort = ['id']) {
    return this.db[flat].find({ sort: sort.map((field) => ({ [field]: 'asc' })) });
  }
}

// What a tab can be told to do.
const commands = {
  // open makes collections from the server's schemas and follows scopes.
  async open(tab, { url, user, scopes, batchSize = 100 }) {
    Object.assign(tab, { url, user, db: await newDatabase() });
    const schemas = await (await tab.request('/schemas')).json();
    const flats = new Set(scopes.map((scope) => scope.flat));
    const creators = [...flats].map((flat) => [flat, { schema: schemas[flat], migrationStrategies: migrations(schemas[flat]) }]);
    await tab.db.addCollections(Object.fromEntries(creators));
    for (const scope of scopes) tab.replicate(scope, batchSize);
    tab.follow();
    await firstValueFrom(tab.resyncs.pipe(filter((n) => n > 0)));
    for (const replication of tab.replications.values()) await replication.awaitInitialReplication();
  },
  async close(tab) {
    tab.closed = true;
    tab.connection?.abort();
    await tab.db?.close();
  },
  // check makes a collection from a schema and has it take a document as a server sends it.
  async check(tab, { name, schema, document }) {
    tab.db ??= await newDatabase();
    const { [name]: collection } = await tab.db.addCollections({ [name]: { schema, migrationStrategies: migrations(schema) } });
    const pull = { handler: async () => ({ documents: [document], checkpoint: {} }) };
    const replication = replicateRxCollection({ collection, replicationIdentifier: name, live: false, pull });
    const failed = firstValueFrom(replication.error$, { defaultValue: null });
    const error = await Promise.race([failed, replication.awaitInitialReplication()]);
    if (error) throw error;
    await collection.close();
  },
  async insert(tab, { flat, doc }) {
    await tab.db[flat].insert({ userId: tab.user, ...doc });
  },
  // edit makes edits in quick succession: none waits for the server.
  async edit(tab, { flat, id, patches }) {
    const doc = await tab.db[flat].findOne(id).exec(true);
    for (const patch of patches) await doc.incrementalPatch(patch);
  },
  async remove(tab, { flat, id }) {
    await (await tab.db[flat].findOne(id).exec(true)).incrementalRemove();
  },
  offline(tab) {
    tab.online = false;
    tab.connection.abort();
  },
  // online returns when the stream is open again.
  async online(tab) {
    const before = tab.resyncs.value;
    tab.online = true;
    await firstValueFrom(tab.resyncs.pipe(filter((n) => n > before)));
  },
  // until waits until there are so many documents and those named are as wanted.
  async until(tab, { flat, count, docs = {} }) {
    await firstValueFrom(
      tab.all(flat).$.pipe(
        map((found) => new Map(found.map((doc) => [doc.id, doc]))),
        filter((found) => count === undefined || found.size === count),
        filter((found) => Object.entries(docs).every(([id, want]) => matches(found.get(id), want))),
      ),
    );
  },
  // idle waits until nothing is left to send or to fetch.
  async idle(tab) {
    for (const replication of tab.replications.values()) await replication.awaitInSync();
  },
  async docs(tab, { flat, sort }) {
    return (await tab.all(flat, sort).exec()).map((doc) => doc.toJSON());
  },
  // stats tells what happened since it was last asked.
  stats(tab) {
    const { stats } = tab;
    tab.stats = noStats();
    return stats;
  },
};

const tooLong = (command) =>
  new Promise((_, fail) => {
    setTimeout(() => fail(new Error(`${command} took more than ${patience} ms`)), patience).unref();
  });

const tabs = new Map();
for await (const line of createInterface({ input: process.stdin })) {
  const { tab, command, ...args } = JSON.parse(line);
  if (!tabs.has(tab)) tabs.set(tab, new Tab());
  let answer;
  try {
    answer = { result: (await Promise.race([commands[command](tabs.get(tab), args), tooLong(command)])) ?? null };
  } catch (error) {
    answer = { error: String(error.stack ?? error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
process.exit(0);
