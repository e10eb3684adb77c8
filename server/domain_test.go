package server_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
	"github.com/nestorhq/nestor/tool"
)

// A domain that nothing else in the tree knows of: shelves with books.

type shelf struct {
	nestor.Meta
	UserID string `json:"userId"`
	Name   string `json:"name"`
	Read   int    `json:"read,omitempty"`
}

type book struct {
	nestor.Meta
	UserID  string `json:"userId"`
	ShelfID string `json:"shelfId"`
	ISBN    string `json:"isbn,omitempty"`
	Status  string `json:"status"`
	LentTo  string `json:"lentTo,omitempty"`
}

var (
	shelves = server.NewCollection[shelf]("shelves", nil, "users/{userId}/shelves/{id}")
	books   = func() *server.Collection {
		c := server.NewCollection[book]("books", shelves, "users/{userId}/shelves/{shelfId}/books/{id}",
			server.Column("isbn"), server.Column("status", "wanted", "read"))
		c.Unique = [][]string{{"isbn"}}
		return c
	}()
)

var library = server.Module{
	Name:        "library",
	Collections: []*server.Collection{shelves, books},
	Triggers: []nestor.Trigger{{
		ID: "on-book-read", Collection: "users/*/shelves/*/books", Condition: "event.document.data.status == 'read'",
		Action: "POST /webhook/count-read", Key: "shelf:{parent}",
	}},
	Handlers: map[string]server.Handler{"count-read": countRead},
	Rules: []byte(`{"rules": [{"id": "books-read", "path": "users/{userId}/shelves/{shelfId}/**", "operations": ["read"],
		"condition": "request.auth.kind == 'session'"}]}`),
	Routes: []server.Route{{
		Pattern: "POST /api/v1/shelves/{shelf}/loans", ID: "lendBook", Summary: "Lend a book of a shelf", Creates: true,
		Body: loan{}, Answer: loan{}, Example: `{"book":"b1","to":"bob"}`, Do: lend,
	}, {
		Pattern: "GET /api/v1/shelves/{shelf}/loans/{book}", ID: "getLoan", Summary: "Who has a book", Answer: loan{}, Do: whoHas,
	}, {
		Pattern: "POST /api/v1/shelves/{shelf}/clear", ID: "clearShelf", Summary: "Forget what was read", Do: forgetRead,
	}},
	Tools: []*tool.Tool{population, librarian},
}

// librarian tells whom it serves.
var librarian = tool.New("librarian", tool.Options{Effect: tool.Pure}, func(ctx context.Context, _ struct{}) (tool.Call, error) {
	return tool.CallOf(ctx), nil
})

func onShelf(r *server.Request) nestor.Path { // there is one library
	return nestor.Path("users/ann").Child("shelves", r.PathValue("shelf"))
}

func whoHas(r *server.Request) (any, error) {
	l := loan{Book: r.PathValue("book")}
	return &l, r.View(func(docs server.Reader) error {
		d, err := docs.Get(onShelf(r).Child("books", l.Book))
		if err != nil {
			return err
		}
		b, err := nestor.As[book](d)
		l.To = b.LentTo
		return err
	})
}

// forgetRead writes what the caller could not write by itself.
func forgetRead(r *server.Request) (any, error) {
	if r.Context().Err() != nil || r.HTTP().ContentLength > 0 {
		return nil, nestor.Errorf(nestor.CodeInvalid, "%s sent something to a call that takes nothing", r.UserID())
	}
	return nil, r.Act(onShelf(r), func(tx server.Tx) error {
		_, err := tx.Patch(onShelf(r), map[string]any{"read": nil}, server.AnyVersion)
		return err
	})
}

type loan struct {
	Book string `json:"book"`
	To   string `json:"to"`
}

func lend(r *server.Request) (any, error) {
	var l loan
	if err := r.Decode(&l); err != nil {
		return nil, err
	}
	book := onShelf(r).Child("books", l.Book)
	return l, r.Update(func(tx server.Tx) error {
		_, err := tx.Patch(book, map[string]any{"lentTo": l.To}, server.AnyVersion)
		return err
	})
}

func countRead(_ context.Context, job *server.Job) (server.Effect, error) {
	return func(tx server.Tx) error {
		found, err := tx.Query(server.Query{Collection: job.Change.Path.Collection()})
		if err != nil {
			return err
		}
		read := 0
		for _, d := range found.Items {
			if b, err := nestor.As[book](d); err == nil && b.Status == "read" {
				read++
			}
		}
		_, err = tx.Patch(job.Change.Path.Parent(), map[string]any{"read": read}, server.AnyVersion)
		return err
	}, nil
}

// api sends requests to a server in the same process.
type api struct {
	*testing.T
	*server.Server
	cookies []*http.Cookie
}

func start(t *testing.T, cfg server.Config) *api {
	t.Helper()
	s, _ := servertest.Start(t, cfg)
	return &api{T: t, Server: s}
}

func (a *api) send(method, path, body string) (int, string) {
	a.Helper()
	r, err := http.NewRequestWithContext(a.Context(), method, "http://127.0.0.1/api/v1/"+path, strings.NewReader(body))
	if err != nil {
		a.Fatal(err)
	}
	if a.cookies == nil {
		r.Header.Set("Authorization", "Bearer "+servertest.Token)
	}
	for _, c := range a.cookies {
		r.AddCookie(c)
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	res, err := a.Client().HTTP.Do(r)
	if err != nil {
		a.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		a.Fatal(err)
	}
	if path == "login" {
		a.cookies = res.Cookies()
	}
	return res.StatusCode, string(text)
}

// wants sends a request and reports an answer that has another status, or not the
// texts.
func (a *api) wants(status int, method, path, body string, texts ...string) string {
	a.Helper()
	got, text := a.send(method, path, body)
	if got != status {
		a.Errorf("%s %s: %d %s", method, path, got, text)
	}
	for _, want := range texts {
		if !strings.Contains(text, want) {
			a.Errorf("%s %s: no %s in %s", method, path, want, text)
		}
	}
	return text
}

func TestADomainIsOneValue(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Modules = []server.Module{library}
		t.Run("has all that the server's own have", func(t *testing.T) { useLibrary(start(t, cfg)) })
		t.Run("is there after a restart, and takes a new column", func(t *testing.T) {
			later := library
			more := server.NewCollection[annotated]("books", shelves, "users/{userId}/shelves/{shelfId}/books/{id}",
				server.Column("isbn"), server.Column("status", "wanted", "read"), server.Column("note"))
			more.Indexes = [][]string{{"note"}}
			later.Collections = []*server.Collection{shelves, more}
			cfg.Modules = []server.Module{later}
			a := start(t, cfg)
			a.wants(200, "GET", "docs/users/ann/shelves/s1/books/b1", "", `"status":"read"`)
			a.wants(201, "PUT", "docs/users/ann/shelves/s1/books/b9", `{"status":"wanted","note":"a gift"}`)
			a.wants(200, "POST", "query", `{"flat":"books","where":{"field":"note","op":"=","value":"a gift"}}`, `"id":"b9"`)
		})
	})
}

type annotated struct {
	book
	Note string `json:"note,omitempty"`
}

func useLibrary(a *api) {
	const shelf = "docs/users/ann/shelves/s1"
	a.wants(201, "PUT", shelf, `{"name":"Novels"}`)
	a.wants(201, "PUT", shelf+"/books/b1", `{"isbn":"1","status":"wanted"}`, `"shelfId":"s1"`)

	// Constraints, and a schema that refuses what is misspelt.
	a.wants(400, "PUT", shelf+"/books/b2", `{"isbn":"2","status":"lost"}`, "status")
	a.wants(400, "PUT", shelf+"/books/b2", `{"isbn":"2","status":"read","pages":3}`, "pages")
	a.wants(409, "PUT", shelf+"/books/b2", `{"isbn":"1","status":"read"}`)
	a.wants(404, "PUT", "docs/users/ann/shelves/none/books/b2", `{"status":"read"}`)

	// Triggers and handlers.
	a.wants(201, "PUT", shelf+"/books/b3", `{"isbn":"3","status":"read"}`)
	a.wants(200, "PATCH", shelf+"/books/b1", `{"status":"read"}`)
	if err := a.Wait(a.Context()); err != nil {
		a.Fatal(err)
	}
	a.wants(200, "GET", shelf, "", `"read":2`)

	// The API, sync, and what describes them.
	a.wants(200, "POST", "query", `{"flat":"books","where":{"field":"isbn","op":"=","value":"3"}}`, `"id":"b3"`)
	a.wants(200, "GET", "replication/books/pull?userId=ann&shelfId=s1&limit=10", "", `"id":"b1"`, `"id":"b3"`, `"_deleted":false`)
	var schemas map[string]json.RawMessage
	if err := json.Unmarshal([]byte(a.wants(200, "GET", "schemas", "")), &schemas); err != nil || schemas["books"] == nil || schemas["messages"] == nil {
		a.Errorf("the schemas are %v: %v", schemas, err)
	}
	a.wants(200, "GET", "openapi.json", "", `"/api/v1/shelves/{shelf}/loans"`, `"operationId":"lendBook"`, `"Loan":{`, `"Book":{`)
	a.wants(200, "GET", "tools", "", `"population"`)
	a.wants(200, "POST", "tools/librarian/call", `{"arguments":{}}`, `\"UserID\":\"local\"`, `\"AskedBy\":[\"local\"]`)
	a.wants(201, "POST", "shelves/s1/loans", `{"book":"b1","to":"bob"}`, `"to":"bob"`)
	a.wants(200, "GET", shelf+"/books/b1", "", `"lentTo":"bob"`)
	a.wants(200, "GET", "shelves/s1/loans/b1", "", `"to":"bob"`)
	a.wants(404, "GET", "shelves/s1/loans/none", "")
	a.wants(400, "GET", "shelves/s1/loans/b1%2Fx", "")
	a.wants(400, "POST", "shelves/s1/loans", `{"buch":"b1"}`, "buch")
	a.wants(404, "POST", "shelves/s1/loans", `{"book":"none","to":"bob"}`)

	// Rules: bob, who is signed in, reads ann's books and nothing else of hers.
	a.wants(201, "POST", "users", `{"id":"bob","password":"a long enough passphrase"}`)
	a.wants(201, "PUT", "docs/users/ann/notes/n1", `{"text":"private"}`)
	bob := &api{T: a.T, Server: a.Server}
	bob.wants(200, "POST", "login", `{"login":"bob","password":"a long enough passphrase"}`)
	bob.wants(200, "GET", shelf+"/books/b1", "", `"isbn":"1"`)
	bob.wants(404, "GET", "docs/users/ann/notes/n1", "")
	bob.wants(403, "PUT", shelf+"/books/b4", `{"status":"read"}`)
	bob.wants(403, "POST", "shelves/s1/loans", `{"book":"b1","to":"bob"}`)
	bob.wants(200, "GET", "shelves/s1/loans/b1", "", `"to":"bob"`)
	bob.wants(404, "POST", "shelves/s1/clear", "")
	a.wants(400, "POST", "shelves/s1/clear", `{"all":true}`, "local sent something")
	a.wants(204, "POST", "shelves/s1/clear", "")
	if text := a.wants(200, "GET", shelf, ""); strings.Contains(text, `"read"`) {
		a.Errorf("the shelf is %s", text)
	}

	// What lies below goes with a document.
	a.wants(201, "PUT", "docs/users/ann/shelves/s2", `{"name":"Poems"}`)
	a.wants(201, "PUT", "docs/users/ann/shelves/s2/books/b5", `{"status":"wanted"}`)
	a.wants(204, "DELETE", "docs/users/ann/shelves/s2", "")
	a.wants(404, "GET", "docs/users/ann/shelves/s2/books/b5", "")
}
