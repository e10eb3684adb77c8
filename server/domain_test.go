package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
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
	Description: "Shelves, their books, and who has them.",
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
		Description: "Whoever has it gives it back first.",
		Body:        loan{}, Answer: loan{}, Example: `{"book":"b1","to":"bob"}`, Do: lend,
	}, {
		Pattern: "GET /api/v1/shelves/{shelf}/loans/{book}", ID: "getLoan", Summary: "Who has a book", Answer: loan{}, Do: whoHas,
	}, {
		Pattern: "GET /api/v1/shelves/{shelf}/loans", ID: "listLoans", Summary: "Who has which book", Answer: loan{}, Lists: true, Do: listLoans,
		Query: []server.Parameter{{Name: "to", Description: "Only what this person has.", Example: "bob"}},
		Fails: []server.Failure{{Status: 403, Reason: "NOBODY", When: "Nobody has a book."}},
	}, {
		Pattern: "POST /api/v1/shelves/{shelf}/catalogues", ID: "scanCatalogue", Summary: "Scan a list of books", Status: 202, Upload: 4 << 20,
		Body: loan{}, Example: `{"book":"b1","to":"bob"}`, Answer: scanned{}, Do: scan,
	}, {
		Pattern: "GET /api/v1/shelves/{shelf}/loans/{book}/events", ID: "followBook", Summary: "What happens to a book", Events: map[string]any{"lent": loan{}}, Do: followBook,
	}, {
		Pattern: "POST /api/v1/shelves/{shelf}/clear", ID: "clearShelf", Summary: "Forget what was read", Do: forgetRead,
		Query: []server.Parameter{{Name: "sure", Description: "Any word.", Example: "yes", Required: true}},
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

func listLoans(r *server.Request) (any, error) {
	all := server.List[loan]{Items: []loan{}}
	err := r.View(func(docs server.Reader) error {
		found, err := docs.Query(server.Query{Collection: string(onShelf(r)) + "/books"})
		for _, d := range found.Items {
			b, err := nestor.As[book](d)
			if err != nil {
				return err
			}
			if to := r.HTTP().URL.Query().Get("to"); b.LentTo != "" && (to == "" || to == b.LentTo) {
				all.Items = append(all.Items, loan{Book: b.ID, To: b.LentTo})
			}
		}
		return err
	})
	if err == nil && len(all.Items) == 0 {
		return nil, server.Because("NOBODY", nestor.Errorf(nestor.CodeForbidden, "nobody has a book"))
	}
	return all, err
}

type scanned struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Size  int    `json:"size"`
	Shelf string `json:"shelf,omitempty"`
}

func scan(r *server.Request) (any, error) {
	file, err := r.Upload()
	if file == nil || err != nil {
		return scanned{Name: "JSON"}, err
	}
	return scanned{file.Name, file.Type, len(file.Data), file.Fields["shelf"]}, nil
}

// followBook tells whom a book is lent to, and ends when it is back.
func followBook(r *server.Request) (any, error) {
	at := onShelf(r).Child("books", r.PathValue("book"))
	tell := func(d *nestor.Document) ([]server.Event, error) {
		b, err := nestor.As[book](d)
		return []server.Event{{Name: "lent", Data: loan{b.ID, b.LentTo}, Last: b.LentTo == ""}}, err
	}
	return server.Stream{
		Path: at,
		First: func() (first []server.Event, err error) {
			err = r.View(func(docs server.Reader) error {
				d, err := docs.Get(at)
				if err != nil {
					return err
				}
				first, err = tell(d)
				return err
			})
			return first, err
		},
		Of: func(c *nestor.Change) ([]server.Event, error) {
			if c.After == nil {
				return nil, nil
			}
			return tell(c.After)
		},
	}, nil
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
type api struct{ *servertest.Person }

func start(t *testing.T, cfg server.Config) *api {
	t.Helper()
	return &api{servertest.Enter(t, cfg)}
}

func (a *api) wants(status int, method, path, body string, texts ...string) string {
	a.Helper()
	return a.Wants(status, method, path, body, texts...)
}

func TestADomainIsOneValue(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		cfg.Modules = []server.Module{library}
		t.Run("has all that the server's own have", func(t *testing.T) { useLibrary(start(t, cfg)) })
		t.Run("is there after a restart, and takes a new column", func(t *testing.T) {
			cfg.Modules = []server.Module{later()}
			a := start(t, cfg)
			a.wants(200, "GET", "docs/users/ann/shelves/s1/books/b1", "", `"status":"read"`)
			a.wants(201, "PUT", "docs/users/ann/shelves/s1/books/b9", `{"status":"wanted","note":"a gift"}`)
			a.wants(200, "POST", "query", `{"flat":"books","where":{"field":"note","op":"=","value":"a gift"}}`, `"id":"b9"`)
		})
		t.Run("has a schema for RxDB whose version cannot be forgotten", func(t *testing.T) {
			cfg.Modules = []server.Module{later("what it was before")}
			_, err := server.Start(t.Context(), cfg)
			says := regexp.MustCompile(`books .* end with "(\w+)"`).FindStringSubmatch(fmt.Sprint(err))
			if says == nil {
				t.Fatalf("it starts with a new shape that is not written down: %v", err)
			}
			cfg.Modules = []server.Module{later("what it was before", says[1])}
			var schemas map[string]struct {
				Version int
				Indexes [][]string
			}
			start(t, cfg).Into(&schemas, 200, "GET", "replication/schemas", "")
			if got := fmt.Sprint(schemas["books"]); got != "{1 [[shelfId createdAt createdSeq] [userId] [note]]}" {
				t.Errorf("the schema of books is %s", got)
			}
			if _, ok := schemas["shelves"]; ok {
				t.Error("there is a schema whose changes nobody writes down")
			}
		})
	})
}

// later is the library with another column of books, and the shapes that books had.
func later(shapes ...string) server.Module {
	more := server.NewCollection[annotated]("books", shelves, "users/{userId}/shelves/{shelfId}/books/{id}",
		server.Column("isbn"), server.Column("status", "wanted", "read"), server.Column("note").Chars(1, 80))
	more.Indexes, more.Shapes = [][]string{{"note"}}, shapes
	m := library
	m.Collections = []*server.Collection{shelves, more}
	return m
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
	a.wants(200, "GET", "openapi.json", "", `"/api/v1/shelves/{shelf}/loans"`, `"operationId":"lendBook"`, `"Loan":{`, `"Book":{`,
		`{"description":"Shelves, their books, and who has them.","name":"library"}`, `"tags":["library"]`, "Whoever has it gives it back first.")
	a.wants(200, "GET", "tools", "", `"population"`)
	a.wants(200, "POST", "tools/librarian/call", `{"arguments":{}}`, `\"UserID\":\"local\"`, `\"AskedBy\":[\"local\"]`)
	a.wants(201, "POST", "shelves/s1/loans", `{"book":"b1","to":"bob"}`, `"to":"bob"`)
	a.wants(200, "GET", shelf+"/books/b1", "", `"lentTo":"bob"`)
	a.wants(200, "GET", "shelves/s1/loans/b1", "", `"to":"bob"`)
	a.wants(404, "GET", "shelves/s1/loans/none", "")
	a.wants(400, "POST", "shelves/s1/loans", `{"book":"b1"}`, `"field":"to"`)
	a.wants(400, "POST", "shelves/s1/clear", "", `"field":"sure"`)
	a.wants(400, "GET", "shelves/s1/loans/b1%2Fx", "")
	a.wants(400, "POST", "shelves/s1/loans", `{"buch":"b1"}`, "buch")
	a.wants(200, "GET", "shelves/s1/loans?to=bob", "", `{"items":[{"book":"b1","to":"bob"}]}`)
	a.wants(403, "GET", "shelves/s1/loans?to=eve", "", `"reason":"NOBODY"`)
	a.wants(200, "GET", "openapi.json", "", `"name":"to"`, "details.reason is NOBODY: Nobody has a book.", `"multipart/form-data"`, `"x-events":{"lent":`, `"202":`)
	scanFiles(a)
	followLoan(a, shelf)
	a.wants(404, "POST", "shelves/s1/loans", `{"book":"none","to":"bob"}`)

	// Rules: bob, who is signed in, reads ann's books and nothing else of hers.
	a.wants(201, "PUT", "docs/users/ann/notes/n1", `{"text":"private"}`)
	bob := &api{a.SignIn("bob")}
	bob.wants(200, "GET", shelf+"/books/b1", "", `"isbn":"1"`)
	bob.wants(404, "GET", "docs/users/ann/notes/n1", "")
	bob.wants(403, "PUT", shelf+"/books/b4", `{"status":"read"}`)
	bob.wants(403, "POST", "shelves/s1/loans", `{"book":"b1","to":"bob"}`)
	bob.wants(200, "GET", "shelves/s1/loans/b1", "", `"to":"bob"`)
	bob.wants(404, "POST", "shelves/s1/clear?sure=yes", "")
	a.wants(400, "POST", "shelves/s1/clear?sure=yes", `{"all":true}`, "local sent something")
	a.wants(204, "POST", "shelves/s1/clear?sure=yes", "")
	if text := a.wants(200, "GET", shelf, ""); strings.Contains(text, `"read"`) {
		a.Errorf("the shelf is %s", text)
	}

	// What lies below goes with a document.
	a.wants(201, "PUT", "docs/users/ann/shelves/s2", `{"name":"Poems"}`)
	a.wants(201, "PUT", "docs/users/ann/shelves/s2/books/b5", `{"status":"wanted"}`)
	a.wants(204, "DELETE", "docs/users/ann/shelves/s2", "")
	a.wants(404, "GET", "docs/users/ann/shelves/s2/books/b5", "")
}

// scanFiles sends files in every form that there is.
func scanFiles(a *api) {
	const to = "shelves/s1/catalogues"
	a.wants(202, "POST", to, `{"book":"b1","to":"bob"}`, `"name":"JSON"`)
	as := func(kind string) func(int, string, string, ...string) {
		return func(status int, path, body string, texts ...string) {
			a.Helper()
			r := a.Request("POST", path, body)
			r.Header.Set("Content-Type", kind)
			a.Answers(status, r, texts...)
		}
	}
	as("text/markdown")(202, to+"?filename=list.md", "# Books", `"name":"list.md","type":"text/markdown","size":7`)
	as("text/plain")(413, to, strings.Repeat("x", 4<<20+1), "more than 4194304 bytes")
	form := func(parts ...string) string { return "--x\r\n" + strings.Join(parts, "\r\n--x\r\n") + "\r\n--x--\r\n" }
	const file, field = "Content-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\nabc",
		"Content-Disposition: form-data; name=\"shelf\"\r\n\r\nnovels"
	b := as("multipart/form-data; boundary=x")
	b(202, to, form(field, file), `{"name":"a.txt","type":"text/plain","size":3,"shelf":"novels"}`)
	b(400, to, form(field), `"field":"file"`)
	b(400, to, form(file, file), "more than one file")
	b(400, to, "--x\r\nnothing", "cannot be read")
	b(413, to, form(file+strings.Repeat("x", 4<<20)), "more than 4194304 bytes")
}

// followLoan reads a stream to its end, and resumes it.
func followLoan(a *api, shelf string) {
	const events = "shelves/s1/loans/b1/events"
	a.wants(404, "GET", "shelves/s1/loans/none/events", "")
	res := a.Open(a.Request("GET", events, ""))
	defer res.Body.Close()
	stream := bufio.NewReader(res.Body)
	for line := ""; line != "event: lent\n"; { // who has the book now is told: the stream has begun
		var err error
		if line, err = stream.ReadString('\n'); err != nil {
			a.Fatal(err)
		}
	}
	a.wants(200, "PATCH", shelf+"/books/b1", `{"lentTo":null}`)
	rest, err := io.ReadAll(stream)
	if err != nil {
		a.Fatal(err)
	}
	text := string(rest)
	if !strings.HasSuffix(text, `data: {"book":"b1","to":""}`+"\n\n") {
		a.Errorf("the stream is %q", text)
	}
	id, _, _ := strings.Cut(text[strings.LastIndex(text, "id: ")+len("id: "):], "\n")
	a.wants(201, "POST", "shelves/s1/loans", `{"book":"b1","to":"ada"}`)
	a.wants(200, "PATCH", shelf+"/books/b1", `{"lentTo":null}`)
	if text := a.wants(200, "GET", events+"?from="+id, "", `"to":"ada"`, `"to":""`); strings.Contains(text, "bob") {
		a.Errorf("the stream begins anew: %q", text)
	}
	a.wants(201, "POST", "shelves/s1/loans", `{"book":"b1","to":"bob"}`)
}
