package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/testmain"
)

// heavy writes large messages into a chat.
func (a *api) heavy(user, chat string, n, size int) {
	a.Helper()
	p := "users/" + user + "/orch-chats/" + chat
	a.write(p, `{"title":"heavy"}`)
	for i := range n {
		a.write(fmt.Sprint(p, "/messages/m", i+10), `{"role":"user","content":"`+strings.Repeat("x", size)+`"}`)
	}
}

func TestAPageEndsWhereItGetsTooLarge(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		const n, size = 40, 200_000
		a.heavy("local", "c1", n, size)
		a.want(201, "POST", "/chats/c1/fork", `{"id":"fork"}`, "")
		a.write("users/local/orch-chats/fork/messages/own", `{"role":"user","content":"x"}`)
		query := func(cursor string) (string, string, string) {
			return "POST", "/query", `{"collection":"users/local/orch-chats/c1/messages","limit":1000,"cursor":"` + cursor + `"}`
		}
		get := func(path string) func(string) (string, string, string) {
			return func(cursor string) (string, string, string) { return "GET", path + "&cursor=" + cursor, "" }
		}
		for name, c := range map[string]struct {
			ask  func(cursor string) (method, path, body string)
			want int
		}{
			"of a chat":      {get("/chats/c1/messages?limit=1000"), n},
			"of a fork":      {get("/chats/fork/messages?limit=1000"), n + 1},
			"of a query":     {query, n},
			"in small pages": {get("/chats/c1/messages?limit=3"), n},
		} {
			got, largest := 0, 0
			for cursor, more := "", true; more; more = cursor != "" {
				var page store.Page
				_, text := a.call(c.ask(cursor))
				if err := json.Unmarshal([]byte(text), &page); err != nil {
					t.Fatal(err)
				}
				got, largest, cursor = got+len(page.Items), max(largest, len(text)), page.Next
			}
			if got != c.want || largest > store.MaxPageBytes+2*size {
				t.Errorf("the messages %s are %d, want %d; the largest page has %d bytes", name, got, c.want, largest)
			}
		}
		_, text := a.call("GET", "/replication/messages/pull?chatId=c1&limit=1000", "")
		var pulled struct{ Documents []json.RawMessage }
		if err := json.Unmarshal([]byte(text), &pulled); err != nil || len(pulled.Documents) != n {
			t.Errorf("%d documents are pulled, %v: a short page would pass for the last one", len(pulled.Documents), err)
		}
	})
}

func TestADeltaEndsWhereItGetsTooLarge(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		const n, size = 20, 200_000
		a.heavy("local", "c1", n, size)
		err := a.store.Update(t.Context(), func(tx store.Tx) error {
			return tx.Delete("users/local/orch-chats/c1/messages/m15", store.AnyVersion)
		})
		if err != nil {
			t.Fatal(err)
		}
		scope, err := store.DefaultCatalogue.Scope("users/local/orch-chats/c1/messages")
		if err != nil {
			t.Fatal(err)
		}
		seen := map[nestor.Path]bool{}
		for at, more := (store.Position{}), true; more; {
			delta, err := a.store.Since(t.Context(), scope, at, 1000)
			if err != nil {
				t.Fatal(err)
			}
			bytes := 0
			for _, l := range delta.Items {
				if seen[l.Path] = true; l.Document != nil {
					bytes += len(l.Document.Data)
				}
			}
			if bytes > store.MaxDeltaBytes+2*size {
				t.Errorf("a page has %d bytes", bytes)
			}
			at, more = delta.Next, delta.More
		}
		if len(seen) != n {
			t.Errorf("%d documents were told of, want %d", len(seen), n)
		}
	})
}

// unread asks for what it does not read.
func (a *api) unread(path string, header []string) *http.Response {
	a.Helper()
	b := *a
	b.client = slow(a.TB.(*testing.T), 4<<10)
	res := b.request("GET", path, "", append([]string{"Accept-Encoding", "identity"}, header...)...)
	if res.StatusCode != 200 {
		a.Fatal(res.Status)
	}
	return res
}

// Who asks for much and does not read it holds memory of the server.
func TestAnswersThatNobodyReadsAreBounded(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{
			server: slowly(4 << 10),
			api:    func(o *httpapi.Options) { o.MaxSnapshot, o.WriteTimeout = 1<<20, time.Minute }, // 2 MiB for each
		})
		ann := []string{"Authorization", a.apiKey("ann", access.ScopeWrite)}
		read := []string{"Authorization", a.apiKey("ann", access.ScopeRead)}
		bob := []string{"Authorization", a.apiKey("bob", access.ScopeRead)}
		a.heavy("ann", "c1", 5, 200_000)
		a.heavy("bob", "c1", 5, 200_000)
		unread := []*http.Response{a.unread("/chats/c1/messages", ann), a.unread("/chats/c1/messages", ann)}
		lists := map[string]string{
			"/chats/c1/messages":                   "",
			"/chats/c1/messages?limit=1000":        "",
			"/replication/messages/pull?chatId=c1": "",
			"/query":                               `{"collection":"users/ann/orch-chats/c1/messages"}`,
			"/chats/c1/events?snapshot=1":          "",
		}
		for path, body := range lists {
			method := "GET"
			if body != "" {
				method = "POST"
			}
			res := a.request(method, path, body, append(read, "Accept-Encoding", "identity")...)
			text, _ := io.ReadAll(res.Body)
			if res.StatusCode != 429 || res.Header.Get("Retry-After") == "" || !bytes.Contains(text, []byte(`"of":"user"`)) || !bytes.Contains(text, []byte(`"limit":2097152`)) {
				t.Errorf("%s: %d %.200s", path, res.StatusCode, text)
			}
		}
		a.want(200, "GET", "/chats", "", `"heavy"`, ann...) // what is small costs nothing
		a.want(200, "GET", "/chats/c1/messages", "", "xxx", bob...)
		for _, res := range unread {
			res.Body.Close()
		}
		testmain.Until(t, "the server notices", func() bool { return a.request("GET", "/chats/c1/messages", "", read...).StatusCode == 200 })
	})
}

// What was done is answered; so it is refused before if there is no room.
func TestAWriteIsRefusedBeforeIfItsAnswerHasNoRoom(t *testing.T) {
	a := serve(t, engines.SQLite(t), setup{
		server: slowly(4 << 10), api: func(o *httpapi.Options) { o.MaxSnapshot, o.WriteTimeout = 100_000, time.Minute },
	})
	ann := []string{"Authorization", a.apiKey("ann", access.ScopeWrite)}
	a.heavy("ann", "c1", 3, 200_000)
	unread := a.unread("/chats/c1/messages", ann)
	a.want(429, "POST", "/chats", `{"id":"c2"}`, `"of":"user"`, ann...)
	a.want(404, "GET", "/chats/c2", "", "", ann...)
	unread.Body.Close()
	testmain.Until(t, "the server notices", func() bool { return a.request("POST", "/chats", `{"id":"c2"}`, ann...).StatusCode != 429 })
	a.want(200, "GET", "/chats/c2", "", "", ann...)
}
