package records

import (
	"cmp"
	"net/http"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor/internal/domain/records/record"
	"github.com/nestorhq/nestor/internal/domain/records/thread"
	"github.com/nestorhq/nestor/internal/domain/records/version"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/module"
)

type route = module.Route[Records]

const base = "/api/v1/records/"

func routes() (all []route) {
	for _, k := range kinds {
		all = append(all, k.routes()...)
	}
	return append(append(all, versionRoutes()...), threadRoutes()...)
}

// routes are the calls that every kind has.
func (k kind) routes() []route {
	at := base + k.collection.Name
	one := at + "/{id}"
	do := func(call func(kind, *httpapi.Request) (any, error)) func(Records, *httpapi.Request) (any, error) {
		return func(_ Records, r *httpapi.Request) (any, error) { return call(k, r) }
	}
	all := []route{
		{Do: do(kind.create), Route: httpapi.Route{
			Pattern: "POST " + at, ID: "create" + k.one, Summary: "Make " + k.name + "; an id that is taken is a conflict",
			Description: "Without an id the server makes one.",
			Body:        k.created, Example: k.example, Answer: k.record, Creates: true,
		}},
		{Do: do(kind.createMany), Route: httpapi.Route{
			Pattern: "POST " + at + "/batch", ID: "createMany" + k.many, Summary: "Make several " + k.plural() + ", all or none",
			Description: "At most 100 are made. If one of them is wrong, details.index says which.",
			Body:        k.batch, Example: `{"records":[` + k.example + `]}`, Answer: k.record, Lists: true, Creates: true,
		}},
		{Do: do(kind.list), Route: httpapi.Route{
			Pattern: "GET " + at, ID: "list" + k.many, Summary: "The caller's " + k.names + ", oldest first",
			Description: "They are the caller's own, also for an administrator.",
			Query:       append(httpapi.Paging(), k.listQuery...), Answer: k.record, Lists: true,
		}},
		{Do: do(kind.count), Route: httpapi.Route{
			Pattern: "GET " + at + "/count", ID: "count" + k.many, Summary: "How many " + k.plural() + " the caller has",
			Description: "The database counts them, so it takes no longer if there are many.",
			Query:       k.listQuery, Answer: httpapi.RecordCount{},
		}},
		{Do: do(kind.stream), Route: httpapi.Route{
			Pattern: "GET " + at + "/stream", ID: "follow" + k.many, Summary: "What becomes of the caller's " + k.plural() + ", as it happens",
			Description: "It tells what happens from now on. To miss nothing, open it first and list then.",
			Events:      map[string]any{"created": k.record, "updated": k.record, "deleted": httpapi.DeletedRecord{}},
		}},
		{Do: do(kind.get), Route: httpapi.Route{
			Pattern: "GET " + one, ID: "get" + k.one, Summary: strings.ToUpper(k.name[:1]) + k.name[1:],
			Description: "That of somebody else is answered as if it were not there.",
			Query:       k.getQuery, Answer: k.shown,
			More: openapi.Operation{IfNoneMatch: k.show == nil},
		}},
		{Do: do(kind.delete), Route: httpapi.Route{
			Pattern: "DELETE " + one, ID: "delete" + k.one, Summary: "Delete " + k.name,
			Description: cmp.Or(k.deleting, "With If-Match it goes only if nobody has changed it since that version."),
			More:        openapi.Operation{IfMatch: true},
		}},
		{Do: do(kind.copy), Route: httpapi.Route{
			Pattern: "POST " + one + "/clone", ID: "clone" + k.one, Summary: "Make a copy of " + k.name,
			Description: "The copy has an id of its own, or that of the body.",
			Body:        httpapi.CloneRequest{}, Example: `{"id":"copy"}`, Answer: k.record, Creates: true, More: openapi.Operation{BodyOptional: true},
		}},
	}
	if k.readChange != nil {
		all = append(all, route{Do: do(kind.update), Route: httpapi.Route{
			Pattern: "PATCH " + one, ID: "update" + k.one, Summary: "Change fields of " + k.name,
			Description: "Fields that are left out stay. " + k.changing,
			Body:        k.changed, Example: k.change, Answer: k.record, More: openapi.Operation{IfMatch: true},
		}})
	}
	return all
}

// plural is what several are called.
func (k kind) plural() string {
	word, _, _ := strings.Cut(k.names, ",")
	return word
}

// versionRoutes are those that only text documents have.
func versionRoutes() []route {
	one := base + record.TextDocuments.Name + "/{id}"
	old := httpapi.Failure{Status: http.StatusConflict, Reason: version.ReasonNotLast, When: "It is an old version: details.newestId is the last one."}
	return []route{
		{Do: Records.saveVersion, Route: httpapi.Route{
			Pattern: "POST " + one + "/versions", ID: "saveTextDocumentVersion", Summary: "Make the version that follows the last one",
			Description: "Without a title that of the version before stays. If there is a later version already the call is a conflict, and details.newestId names that one.",
			Body:        newVersion{}, Example: `{"title":"Plan","content":"# Plan\n\nMore.\n"}`, Answer: record.TextDocument{}, Creates: true, Fails: []httpapi.Failure{old},
		}},
		{Do: Records.listVersions, Route: httpapi.Route{
			Pattern: "GET " + one + "/versions", ID: "listTextDocumentVersions", Summary: "All versions of a text document, first to last",
			Description: "The id is that of any version. Each has its number, and the ids of the versions before and after it.",
			Query:       httpapi.Paging(), Answer: record.TextDocument{}, Lists: true,
		}},
		{Do: Records.searchTexts, Route: httpapi.Route{
			Pattern: "GET " + base + record.TextDocuments.Name + "/summaries", ID: "searchTextDocuments",
			Summary:     "The last version of each text document, newest first, without its content",
			Description: "All words must occur in the title or the content, in any case. A page may be short and still have a next one.",
			Answer:      version.Summary{}, Lists: true,
			Query: append(httpapi.Paging(), httpapi.TextParameter("q", "Words that all are in the title or the content, in any case.", "plan")),
		}},
		{Do: Records.listHistory, Route: httpapi.Route{
			Pattern: "GET " + one + "/history", ID: "listTextDocumentHistory", Summary: "All versions of a text document, last to first, without their contents",
			Description: "The id is that of any version, or of the first one even if that is gone. It is what a list of versions needs.",
			Query:       httpapi.Paging(), Answer: version.Summary{}, Lists: true,
		}},
		{Do: Records.diffText, Route: httpapi.Route{
			Pattern: "POST " + one + "/diff", ID: "diffTextDocument", Summary: "How a text that is not stored differs from a text document; nothing is written",
			Description: "The difference is in the unified format, from the stored text to the one in the body.",
			Body:        comparedText{}, Example: `{"content":"# Plan\n"}`, Answer: Difference{},
		}},
		{Do: Records.diffVersions, Route: httpapi.Route{
			Pattern: "GET " + one + "/diff", ID: "diffTextDocuments", Summary: "How two text documents, or two versions of one, differ",
			Description: "The difference is in the unified format. Where more than 2,000 lines differ, all between the common beginning and end is told as replaced.",
			Answer:      Difference{},
			Query:       []httpapi.Parameter{httpapi.RequiredParameter("to", "Id of the other one.", "plan")},
		}},
		{Do: Records.restoreVersion, Route: httpapi.Route{
			Pattern: "POST " + one + "/restore", ID: "restoreTextDocument", Summary: "Make a last version with the title and content of an old one",
			Description: "The versions in between stay. Who saves at the same moment does not make it fail.",
			Answer:      record.TextDocument{}, Creates: true,
		}},
	}
}

// threadRoutes are those of threads, and of chats as threads.
func threadRoutes() []route {
	return []route{
		{Do: Records.addPartial, Route: httpapi.Route{
			Pattern: "POST " + base + record.MessageThreads.Name + "/{id}/partials", ID: "addPartial",
			Summary:     "Make the thread that has one more piece; the one that is added to stays as it is",
			Description: "It goes into the last turn if that is of the same sender, else into a new one. Whoever adds to the same thread again makes a fork, so it never conflicts.",
			Body:        newPartial{}, Example: `{"senderId":"ada","partial":{"type":"text","payload":{"content":"Hello again"}}}`,
			Answer: record.MessageThread{}, Creates: true,
		}},
		{Do: Records.chatThread, Route: httpapi.Route{
			Pattern: "GET /api/v1/chats/{chat}/thread", ID: "getChatAsThread", Summary: "The conversation of a chat as a thread, up to a message",
			Description: "People are named by their ids and models by their roles. Notices, errors and summaries are no part of it.",
			Query:       threadQuery, Answer: Conversation{},
		}},
		{Do: Records.taskThread, Route: httpapi.Route{
			Pattern: "GET /api/v1/chats/{chat}/tasks/{task}/thread", ID: "getTaskAsThread",
			Summary:     "The conversation of the agent that carries out a task as a thread, up to a message",
			Description: "The agent's instructions are no part of it. A task that is the call of a tool is that call and what came of it.",
			Query:       threadQuery, Answer: Conversation{},
		}},
	}
}

// threadQuery says which part of whose conversation is read.
var threadQuery = []httpapi.Parameter{
	httpapi.TextParameter("at", "Id of the last message that is wanted. Defaults to the newest.", "m1"),
	httpapi.TextParameter("user", "The id of the user whose chat it is. Defaults to the caller.", "ada"),
}

func schemas() openapi.Schemas {
	s := openapi.Schemas{
		Types: map[string]reflect.Type{
			"MessageTurn":    reflect.TypeFor[record.MessageTurn](),
			"MessagePartial": reflect.TypeFor[record.MessagePartial](),
			"PartialPayload": reflect.TypeFor[record.PartialPayload](),
			"LinePart":       reflect.TypeFor[record.LinePart](),
			"DocumentAuthor": reflect.TypeFor[record.Author](),
			"TextSummary":    reflect.TypeFor[version.Summary](),
			"ThreadTurn":     reflect.TypeFor[thread.Turn](),
		},
		Documents: map[string]reflect.Type{"WholeThread": reflect.TypeFor[WholeThread]()},
		Special: map[reflect.Type]*jsonschema.Schema{
			reflect.TypeFor[record.DocumentType](): openapi.Enum(record.Markdown),
			reflect.TypeFor[record.PartialType]():  openapi.Enum(record.TextPartial, record.ToolRequestPartial, record.ToolResponsePartial),
			reflect.TypeFor[record.CallStatus]():   openapi.Enum(record.CallStatuses...),
		},
	}
	for _, k := range kinds {
		s.Documents[k.one] = reflect.TypeOf(k.record)
		s.Types["New"+k.one+"Batch"] = reflect.TypeOf(k.batch)
	}
	return s
}
