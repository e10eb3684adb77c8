package replication_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/replication"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// page is the answer to a pull.
type page struct {
	Documents  []map[string]any
	Checkpoint struct{ Seq string }
}

func (p page) ids() (ids []string) {
	for _, d := range p.Documents {
		id := d["id"].(string)
		if d["_deleted"] == true {
			id = "-" + id
		}
		ids = append(ids, id)
	}
	return ids
}

func (f *fixture) pull(user, path string) (p page) {
	f.Helper()
	code, text := f.request(user, "GET", path, "")
	if err := json.Unmarshal([]byte(text), &p); err != nil || code != "" {
		f.Fatalf("%s: %v %s", path, err, text)
	}
	return p
}

func TestAPullEndsWithAPageThatIsNotFull(t *testing.T) {
	engines.Each(t, func(t *testing.T, db engines.Database) {
		f := serve(t, db)
		chat := f.chat("u1", "c1")
		for i := range 5 {
			f.put(chat.Child("messages", fmt.Sprint("m", i)), say("user", "x"))
		}
		f.delete(chat.Child("messages", "m1"))
		var pages []string
		for checkpoint := ""; ; {
			p := f.pull("u1", "/messages/pull?chatId=c1&limit=2&checkpoint="+checkpoint)
			pages = append(pages, strings.Join(p.ids(), " "))
			if checkpoint = p.Checkpoint.Seq; len(p.Documents) < 2 {
				break
			}
		}
		if want := []string{"m0 m2", "m3 m4", "-m1"}; !slices.Equal(pages, want) {
			t.Errorf("the pages are %q", pages)
		}
	})
}

func TestWhatTheCallerMayNotReadIsNotThere(t *testing.T) {
	engines.Each(t, func(t *testing.T, db engines.Database) {
		f := serve(t, db)
		chat := f.chat("u1", "c1")
		for i := range 8 {
			content := "x"
			if i%4 != 0 {
				content = "hidden"
			}
			f.put(chat.Child("messages", fmt.Sprint("m", i)), say("user", content))
		}
		// A page is full of what may be read, else it would seem to be the last.
		first := f.pull("u1", "/messages/pull?chatId=c1&limit=1")
		second := f.pull("u1", "/messages/pull?chatId=c1&limit=1&checkpoint="+first.Checkpoint.Seq)
		third := f.pull("u1", "/messages/pull?chatId=c1&limit=1&checkpoint="+second.Checkpoint.Seq)
		if got := [][]string{first.ids(), second.ids(), third.ids()}; fmt.Sprint(got) != "[[m0] [m4] []]" {
			t.Errorf("the pages are %v", got)
		}
		for _, path := range []string{"/messages/pull?chatId=c1&userId=u1", "/chats/pull?userId=u1", "/messages/pull?chatId=c1", "/tasks/pull"} {
			if p := f.pull("u2", path); len(p.Documents) != 0 {
				t.Errorf("another user gets %v from %s", p.ids(), path)
			}
		}
	})
}

func TestCollectionsOfTheUsersOwnAreReplicatedToo(t *testing.T) {
	engines.Each(t, func(t *testing.T, db engines.Database) {
		f := serve(t, db)
		f.put("users/u1/notes/n1", args{"text": "mine"})
		f.put("users/u1/notes/n1/parts/p1", args{"text": "below"})
		path := "/documents/pull?collection=" + url.QueryEscape("users/u1/notes")
		if p := f.pull("u1", path); fmt.Sprint(p.ids()) != "[n1]" || p.Documents[0]["text"] != "mine" || p.Documents[0]["_deleted"] != false {
			t.Errorf("got %v", p.Documents)
		}
		f.delete("users/u1/notes/n1")
		if p := f.pull("u1", path); fmt.Sprint(p.ids()) != "[-n1]" {
			t.Errorf("after the delete: %v", p.Documents)
		}
	})
}

func TestRequestsThatMakeNoSenseAreRefused(t *testing.T) {
	f := serve(t, engines.SQLite(t))
	f.put("secrets/u1", args{"key": "s3cr3t"})
	for path, want := range map[string]nestor.Code{
		"/nothing/pull":           nestor.CodeNotFound,
		"/chats":                  nestor.CodeNotFound,
		"/":                       nestor.CodeNotFound,
		"/messages/pull":          nestor.CodeInvalid, // of which chat?
		"/messages/pull?chatId=*": nestor.CodeInvalid,
		"/messages/pull?chatId=c1%2Fsub-agents%2Fa1":     nestor.CodeInvalid,
		"/messages/pull?chatId=..":                       nestor.CodeInvalid,
		"/messages/pull?chatId=c1&userId=*":              nestor.CodeInvalid,
		"/sub_agent_messages/pull?chatId=c1":             nestor.CodeInvalid,
		"/chats/pull?limit=0":                            nestor.CodeInvalid,
		"/chats/pull?limit=1001":                         nestor.CodeInvalid,
		"/chats/pull?limit=many":                         nestor.CodeInvalid,
		"/chats/pull?checkpoint=now":                     nestor.CodeInvalid,
		"/chats/pull?checkpoint=-1":                      nestor.CodeInvalid,
		"/chats/pull?checkpoint=1-":                      nestor.CodeInvalid,
		"/chats/pull?checkpoint=1-2-3":                   nestor.CodeInvalid,
		"/chats/pull?checkpoint=99999999999999999999":    nestor.CodeInvalid,
		"/chats/pull?checkpoint=1000":                    nestor.CodeTooOld, // of another database
		"/chats/pull?checkpoint=1-1000":                  nestor.CodeTooOld,
		"/documents/pull":                                nestor.CodeInvalid,
		"/documents/pull?collection=users/u1":            nestor.CodeInvalid,
		"/documents/pull?collection=users/u1/*":          nestor.CodeInvalid,
		"/documents/pull?collection=users/u1/orch-chats": nestor.CodeInvalid,
		"/documents/pull?collection=secrets":             nestor.CodeForbidden,
		"/documents/pull?collection=secrets/u1/keys":     nestor.CodeForbidden,

		"/stream":                             nestor.CodeInvalid,
		"/stream?scope=":                      nestor.CodeNotFound,
		"/stream?scope=nothing":               nestor.CodeNotFound,
		"/stream?scope=messages":              nestor.CodeInvalid,
		"/stream?scope=messages/c1/a1":        nestor.CodeInvalid,
		"/stream?scope=messages/c%221":        nestor.CodeInvalid,
		"/stream?scope=chats&scope=messages/": nestor.CodeInvalid,
		"/stream?scope=documents/secrets":     nestor.CodeForbidden,
		"/messages/stream":                    nestor.CodeInvalid,
		"/nothing/stream":                     nestor.CodeNotFound,

		"/stream?scope=chats" + strings.Repeat("&scope=chats", 100): nestor.CodeInvalid,
	} {
		if code, text := f.request("u1", "GET", path, ""); code != want {
			t.Errorf("%.80s: %s", path, text)
		}
		if code, _ := f.request("", "GET", path, ""); code != nestor.CodeUnauthenticated {
			t.Errorf("%.80s: nobody gets %q", path, code)
		}
	}
}

func TestACopyThatIsTooOldIsTold(t *testing.T) {
	engines.Each(t, func(t *testing.T, db engines.Database) {
		f := serve(t, func(t testing.TB, opts store.Options) store.Store {
			opts.Retention.Tombstones = -time.Hour
			return db(t, opts)
		})
		chat := f.chat("u1", "c1")
		f.logged(chat)
		old := f.pull("u1", "/chats/pull").Checkpoint.Seq
		f.delete(chat)
		if n, err := f.store.Sweep(t.Context()); n != 1 || err != nil {
			t.Fatalf("%d rows were swept, %v", n, err)
		}
		if code, text := f.request("u1", "GET", "/chats/pull?checkpoint="+old, ""); code != nestor.CodeTooOld {
			t.Errorf("the answer is %s", text)
		}
		if p := f.pull("u1", "/chats/pull"); len(p.Documents) != 0 {
			t.Errorf("who begins anew gets %v", p.ids())
		}
	})
}

// failing is a store whose reads of scopes fail after some.
type failing struct {
	store.Store
	reads int
}

func (s *failing) Since(ctx context.Context, scope store.Scope, after store.Position, limit int) (store.Delta, error) {
	if s.reads--; s.reads < 0 {
		return store.Delta{}, nestor.Errorf(nestor.CodeUnavailable, "the database is away")
	}
	return s.Store.Since(ctx, scope, after, limit)
}

func TestAPageThatCannotBeCompletedIsCutOff(t *testing.T) {
	for reads, want := range map[int]string{0: "the database is away", 3: "unexpected EOF"} {
		f := serveWith(t, engines.SQLite(t), replication.Options{}, func(s store.Store) store.Store { return &failing{s, reads} })
		chat := f.chat("u1", "c1")
		f.update(func(tx store.Tx) error {
			for i := range 300 { // more than is read and sent at once
				if _, err := tx.Create(chat.Child("messages", fmt.Sprint("m", i)), say("user", strings.Repeat("long ", 1000))); err != nil {
					return err
				}
			}
			return nil
		})
		req, err := http.NewRequestWithContext(t.Context(), "GET", f.url+"/messages/pull?chatId=c1&limit=1000", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-User", "u1")
		res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		if got := fmt.Sprint(string(text[max(0, len(text)-200):]), err); !strings.Contains(got, want) {
			t.Errorf("after %d reads the answer ends with %s", reads, got)
		}
	}
}
