package records

import (
	"github.com/nestorhq/nestor"
	measured "github.com/nestorhq/nestor/internal/domain/metrics/record"
	"github.com/nestorhq/nestor/internal/domain/records/record"
	"github.com/nestorhq/nestor/internal/domain/records/thread"
	"github.com/nestorhq/nestor/internal/domain/records/version"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// kind is a kind of records and what is special about it.
type kind struct {
	collection *store.Collection
	// folder is the last part of the path of its collection.
	folder string
	// one and many are its names in calls and schemas, and name and names in texts.
	one, many, name, names string
	// changing and deleting are what else a reader needs to know of these calls.
	changing, deleting string
	// record is a value of the stored type, shown of the one that GET answers with,
	// and created, batch and changed of the bodies of requests.
	record, shown, created, batch, changed any
	// example is a new record, and change a change of one.
	example, change string
	read            func(*httpapi.Request) (draft, error)
	readBatch       func(*httpapi.Request) ([]draft, error)
	// readChange defaults to the change as it is said, mayChange to that all records
	// change, and both are nil for those that never do.
	readChange func(*httpapi.Request) (any, error)
	mayChange  func(r store.Reader, p nestor.Path) error
	// clone writes a copy of a record at p.
	clone func(tx store.Tx, d *nestor.Document, p nestor.Path) (*nestor.Document, error)
	// made does what else there is to do about new records.
	made func(store.Tx, []*nestor.Document) error
	// remove deletes a record. Defaults to that record alone.
	remove func(tx store.Tx, p nestor.Path, version int64) error
	// show is what GET answers with. Defaults to the document.
	show func(*httpapi.Request, nestor.Path) (any, error)
	// getQuery and listQuery are parameters, and where narrows a list as they say.
	getQuery, listQuery []httpapi.Parameter
	where               func(*httpapi.Request) (*store.Filter, error)
}

// draft is what a client says about a new record. It has no id if the server is to
// make one.
type draft interface {
	id() string
	write(tx store.Tx, p nestor.Path) (*nestor.Document, error)
}

// batchOf is several new records.
type batchOf[D draft] struct {
	Records []D `json:"records"`
}

// unchanging is for kinds whose records never change.
type unchanging struct{}

// taking completes a kind with the types that a client sends.
func taking[D draft, C any](k kind) kind {
	k.created, k.batch = *new(D), batchOf[D]{}
	k.read = func(r *httpapi.Request) (draft, error) {
		var said D
		err := r.Decode(&said)
		return said, err
	}
	k.readBatch = func(r *httpapi.Request) (all []draft, err error) {
		var said batchOf[D]
		err = r.Decode(&said)
		for _, d := range said.Records {
			all = append(all, d)
		}
		return all, err
	}
	if _, never := any(*new(C)).(unchanging); !never {
		k.changed = *new(C)
		if k.readChange == nil {
			k.readChange = func(r *httpapi.Request) (any, error) {
				var said C
				err := r.Decode(&said)
				return said, err
			}
		}
	}
	if k.shown == nil {
		k.shown = k.record
	}
	return k
}

// kinds are all there are.
var kinds = []kind{texts, threads, chats, settings, metrics}

var (
	texts = taking[newTextDocument, textDocumentChange](kind{
		collection: record.TextDocuments, folder: "text-documents", record: record.TextDocument{},
		one: "TextDocument", many: "TextDocuments", name: "a text document", names: "text documents, each version by itself",
		changing: "So a title alone renames it, and makes no version. Old versions never change.",
		deleting: "The last version goes with all that are older. An older one alone is refused.",
		example:  `{"id":"plan","title":"Plan","type":"markdown","content":"# Plan\n"}`, change: `{"title":"The plan","content":"# The plan\n"}`,
		readChange: readTextChange, mayChange: func(r store.Reader, p nestor.Path) error {
			_, err := version.Last(r, p)
			return err
		},
		clone: cloneTextDocument, remove: version.Delete,
		listQuery: []httpapi.Parameter{httpapi.TextParameter("current", "true: only the last version of each.", "true")}, where: onlyCurrent,
	})
	threads = taking[newMessageThread, unchanging](kind{
		collection: record.MessageThreads, folder: "message-threads", record: record.MessageThread{}, shown: WholeThread{},
		one: "MessageThread", many: "MessageThreads", name: "a message thread", names: "message threads, each with what it adds to its parent",
		deleting: "One that others continue is refused: they would lack what they share with it.",
		example:  `{"id":"hello","turns":[{"senderId":"ada","partials":[{"type":"text","payload":{"content":"Hello"}}]}]}`,
		clone: func(tx store.Tx, d *nestor.Document, p nestor.Path) (*nestor.Document, error) {
			return thread.Standard.Fork(tx, d.Path, p)
		},
		remove: removeThread, show: showThread, getQuery: []httpapi.Parameter{lastParameter},
	})
	chats = taking[newChatThread, chatThreadChange](kind{
		collection: record.ChatThreads, folder: "chat-threads", record: record.ChatThread{},
		one: "ChatThread", many: "ChatThreads", name: "a chat thread", names: "chat threads",
		changing: "The thread must be there, and the participant one that the caller can talk to.",
		example:  `{"id":"first","name":"First","description":"About the plan","threadId":"hello","participantId":"agent:general"}`,
		change:   `{"name":"Second","description":"","threadId":"hello","participantId":"model:default"}`, clone: cloneData,
	})
	settings = taking[newSettings, settingsChange](kind{
		collection: record.SettingsRecords, folder: "settings", record: record.Settings{},
		one: "Settings", many: "Settings", name: "settings", names: "settings",
		changing: "The web UI keeps its own under the id default.",
		example:  `{"id":"default","lastPage":"/chats","theme":"dark"}`, change: `{"lastPage":"/","theme":"light"}`, clone: cloneData,
	})
	metrics = taking[newMetric, unchanging](kind{
		collection: measured.Points, folder: "metrics", record: measured.Point{},
		one: "Metric", many: "Metrics", name: "a metric's point", names: "points of metrics",
		deleting: "It is not taken out of the sums that queries answer with.",
		example:  `{"id":"first","name":"shop.order","dimensions":{"country":"pt"},"value":12.5,"at":1767225600000}`, clone: cloneData, made: countPoints,
	})
)

// cloneData copies all fields.
func cloneData(tx store.Tx, d *nestor.Document, p nestor.Path) (*nestor.Document, error) {
	return tx.Create(p, d.Data)
}
