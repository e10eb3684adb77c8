package tsgen_test

import (
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/nodetest"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// before is what happens in the browser before the app of docs/sync.md runs: an older app
// kept a copy with the schemas of version 0, and wrote without a server.
const before = `
import "fake-indexeddb/auto";
import { readFileSync } from "node:fs";
const printed = [];
const print = console.log;
console.log = (text) => printed.push(text) && print(text);
{
  const nestor = new Client({ url: process.env.NESTOR_URL, token: process.env.NESTOR_TOKEN });
  await nestor.createChat({ id: "sums", title: "As it was" });
  await nestor.createChat({ id: "plans", title: "Plans" });
  const schemas = JSON.parse(readFileSync("test/schemas-0.json", "utf8"));
  const db = await createRxDatabase({ name: "nestor", storage: getRxStorageDexie() });
  await db.addCollections({ chats: { schema: schemas.chats }, messages: { schema: schemas.messages } });
  const pull = { handler: (checkpoint, limit) => nestor.pull("chats", { limit, checkpoint: checkpoint?.seq }) };
  const once = replicateRxCollection({ collection: db.chats, replicationIdentifier: "chats", live: false, pull, push: { handler: async () => [] } });
  await once.awaitInitialReplication();
  await (await db.chats.findOne("sums").exec()).patch({ title: "Mine" });
  await (await db.chats.findOne("plans").exec()).patch({ title: "Plans made on the train" });
  const stamps = { version: 0, seq: 0, createdSeq: 0, createdAt: 0, updatedAt: 0 };
  await db.messages.insert({ ...stamps, id: "unsent", userId: "local", chatId: "sums", role: "user", content: "Compute 1+1" });
  await db.close();
  await nestor.patchChat("sums", { title: "Theirs" });
}
`

// after waits for what is to come.
const after = `
for (const wanted of [/stays: Theirs/, /chats: .*Plans made on the train/, /user: Compute 6\*7$/m, /assistant: .*\b2\b/s, /assistant: .*\b42\b/s]) {
  while (!printed.some((text) => wanted.test(text))) await new Promise((done) => setTimeout(done, 20));
}
process.exit(0);
`

func TestTheAppOfTheSyncPageWorks(t *testing.T) {
	nodetest.Install(t, client)
	nodetest.Run(t, client, nil, "npm", "run", "build")
	app := nodetest.Documented(t, "../../../docs/sync.md")
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Addr = "127.0.0.1:0"
		p := servertest.Enter(t, cfg)
		out := nodetest.RunText(t, client, []string{"NESTOR_URL=" + p.URL(), "NESTOR_TOKEN=" + p.Token}, before+app+after)
		p.Wants(200, "GET", "docs/users/local/orch-chats/sums/messages/unsent", "", `"content":"Compute 1+1"`)
		p.Wants(200, "GET", "chats/plans", "", `"title":"Plans made on the train"`)
		p.Wants(200, "GET", "chats/sums", "", `"title":"Theirs"`)
		if !strings.Contains(out, "user: Compute 6*7 (unsent)\n") {
			t.Errorf("what is unsent is not shown as such:\n%s", out)
		}
	})
}
