package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

const chat = "users/local/orch-chats/c1"

func draft(id string) feed.Draft { return feed.Draft{Path: chat + "/messages/" + nestor.Path(id)} }

func TestEventsOfAChat(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		a.seed("local", "c1")
		a.seed("local", "c2")
		s := a.follow("/chats/c1/events").live()

		a.want(201, "POST", "/chats/c2/messages", `{"content":"not here"}`, "")
		made := a.want(201, "POST", "/chats/c1/messages", `{"id":"m2","content":"<hi>"}`, "")
		e := s.next()
		var change map[string]any
		if err := json.Unmarshal([]byte(e.data), &change); err != nil {
			t.Fatal(err)
		}
		document, _ := json.Marshal(change["document"])
		want, _ := json.Marshal(made)
		if string(document) != string(want) {
			t.Errorf("the document is %s, want %s", document, want)
		}
		delete(change, "document")
		if got, want := fmt.Sprint(e.name, change), fmt.Sprintf("change%v", map[string]any{
			"type": "create", "path": chat + "/messages/m2", "collection": "messages", "id": "m2", "seq": made["seq"],
		}); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if seq := fmt.Sprint(int64(made["seq"].(float64))); !strings.HasPrefix(e.id, seq+".") {
			t.Errorf("the change with seq %s has the id %s", seq, e.id)
		}

		w := a.feed.Begin(feed.Draft{Path: chat + "/sub-agents/a1/messages/m3", TaskID: "t1", SubAgentID: "a1"})
		w.Text("so")
		const delta = `{"path":"users/local/orch-chats/c1/sub-agents/a1/messages/m3","taskId":"t1","subAgentId":"a1",` +
			`"kind":"text","text":"so","offset":0,"id":"m3","chatId":"c1"}`
		if e := s.next(); e.name != "delta" || e.data != delta {
			t.Errorf("got %+v, want %s", e, delta)
		}
		w.Drop()
		s.want("m3 drop 0")
	})
}

func TestDeletesAreToldWithoutADocument(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		a.want(201, "POST", "/chats", `{"id":"c1"}`, "")
		s := a.follow("/chats/c1/events").live()
		a.want(204, "DELETE", "/chats/c1", "", "")
		if e := s.next(); e.name != "change" || !strings.Contains(e.data, `"type":"delete"`) || !strings.Contains(e.data, `"document":null`) {
			t.Errorf("got %+v", e)
		}
	})
}

// lateLog is one whose reader learns of nothing until it is woken.
type lateLog struct {
	store.Store
	wake chan struct{}
}

func (lateLog) Observe(store.Turn, func(store.Commit)) {}

func (l lateLog) Wake() <-chan struct{} { return l.wake }

func TestAStreamBeginsAfterWhatItsClientCanHaveSeen(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		wake := make(chan struct{})
		a := serve(t, open, setup{
			feed: feed.Options{Poll: time.Hour},
			log:  func(s store.Store) store.Store { return lateLog{s, wake} },
		})
		a.want(201, "POST", "/chats", `{"id":"c1"}`, "")
		s := a.follow("/chats/c1/events").live()
		a.want(201, "POST", "/chats/c1/messages", `{"id":"m1","content":"x"}`, "")
		a.mark()
		wake <- struct{}{}
		s.want("create messages m1")
	})
}

func TestAStreamGoesOnAtTheExactEvent(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		a.want(201, "POST", "/chats", `{"id":"c1"}`, "")
		s := a.follow("/chats/c1/events").live()
		ids, lines := []string{s.id}, []string{}
		w := a.feed.Begin(draft("answer"))
		for i := range 4 {
			a.want(201, "POST", "/chats/c1/messages", fmt.Sprintf(`{"id":"m%d","content":"x"}`, i), "")
			lines, ids = append(lines, s.line()), append(ids, s.id)
			w.Text(fmt.Sprint("w", i))
			lines, ids = append(lines, s.line()), append(ids, s.id)
		}
		want := []string{
			"create messages m0", "answer text 0 w0", "create messages m1", "answer text 2 w1",
			"create messages m2", "answer text 4 w2", "create messages m3", "answer text 6 w3",
		}
		if !slices.Equal(lines, want) {
			t.Fatalf("heard %q", lines)
		}
		for i, id := range ids {
			// Texts that were missed come as one, and before the changes or
			// after them.
			missed := slices.Clone(want[i:])
			missed = slices.DeleteFunc(missed, func(line string) bool { return strings.HasPrefix(line, "answer") })
			if said := i / 2; said < 4 {
				missed = append(missed, fmt.Sprintf("answer text %d %s", 2*said, "w0w1w2w3"[2*said:]))
			}
			by := []string{"Last-Event-ID", id}
			path := "/chats/c1/events"
			if i%2 == 0 {
				by, path = nil, path+"?from="+id
			}
			s := a.follow(path, by...)
			var got []string
			for range missed {
				got = append(got, s.line())
			}
			slices.Sort(got)
			if slices.Sort(missed); !slices.Equal(got, missed) {
				t.Errorf("after event %d, %s: heard %q, want %q", i, id, got, missed)
			}
			s.live() // and there is no more
		}
	})
}

func TestASnapshotIsFollowedByWhatItMisses(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		const before, total = 20, 120
		a := serve(t, open, setup{})
		a.seed("local", "c1")
		progress := make(chan struct{}, total)
		done := make(chan error, 1)
		go func() {
			for i := range total {
				err := a.store.Update(t.Context(), func(tx store.Tx) error {
					_, err := tx.Create(nestor.Path(fmt.Sprintf("%s/messages/n%03d", chat, i)), nestor.Message{Role: nestor.RoleUser, Content: "x"})
					return err
				})
				if err != nil {
					done <- err
					return
				}
				progress <- struct{}{}
			}
			done <- nil
		}()
		for range before {
			<-progress
		}
		for round := range 5 { // while messages keep coming
			s := a.follow("/chats/c1/events?snapshot=1")
			e := s.next()
			var snapshot struct {
				Chat                       struct{ ID string }
				Messages, Tasks, SubAgents []struct{ ID string }
			}
			if err := json.Unmarshal([]byte(e.data), &snapshot); err != nil || e.name != "snapshot" {
				t.Fatalf("got %+v, %v", e, err)
			}
			if snapshot.Chat.ID != "c1" || len(snapshot.Tasks) != 1 || len(snapshot.SubAgents) != 1 || len(snapshot.Messages) < 1+before {
				t.Fatalf("round %d: the snapshot is %+v", round, snapshot)
			}
			var got []string
			for _, m := range snapshot.Messages[1:] {
				got = append(got, m.ID)
			}
			for len(got) < total {
				got = append(got, strings.TrimPrefix(s.line(), "create messages "))
			}
			for i, id := range got {
				if id != fmt.Sprintf("n%03d", i) {
					t.Fatalf("round %d: message %d is %s", round, i, id)
				}
			}
			s.cancel()
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	})
}

// busyStore is one where somebody writes right before and right after a view.
type busyStore struct {
	store.Store
	write func(id string)
}

func (b *busyStore) View(ctx context.Context, fn func(store.Reader) error) error {
	b.write("before")
	defer b.write("after")
	return b.Store.View(ctx, fn)
}

func TestWhatIsWrittenAroundASnapshotIsToldOnce(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		busy := &busyStore{}
		a := serve(t, open, setup{api: func(o *httpapi.Options) {
			busy.Store = o.Store
			o.Store = busy
		}})
		a.want(201, "POST", "/chats", `{"id":"c1"}`, "")
		busy.write = func(id string) { a.write(chat+"/messages/"+id, `{"role":"user","content":"x"}`) }
		s := a.follow("/chats/c1/events?snapshot=1")
		if e := s.next(); !strings.Contains(e.data, `"id":"before"`) || strings.Contains(e.data, `"id":"after"`) {
			t.Errorf("the snapshot is %s", e.data)
		}
		s.want("create messages after")
	})
}

func TestWhoReconnectsGetsNoSecondSnapshot(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{})
	a.seed("local", "c1")
	s := a.follow("/chats/c1/events?snapshot=1")
	s.want("snapshot")
	a.want(201, "POST", "/chats/c1/messages", `{"id":"m2","content":"x"}`, "")
	a.follow("/chats/c1/events?snapshot=1", "Last-Event-ID", s.id).want("create messages m2")
}

func TestAnEmptyChatHasASnapshot(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{})
	a.want(201, "POST", "/chats", `{"id":"c1"}`, "")
	if e := a.follow("/chats/c1/events?snapshot=1").next(); !strings.HasSuffix(e.data, `"messages":[],"tasks":[],"subAgents":[]}`) {
		t.Errorf("got %s", e.data)
	}
}

func TestAChatTooLargeForASnapshotIsToldSo(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{api: func(o *httpapi.Options) { o.MaxSnapshot = 10_000 }})
	a.want(201, "POST", "/chats", `{"id":"c1"}`, "")
	content := strings.Repeat("x", 6_000)
	a.want(201, "POST", "/chats/c1/messages", `{"content":"`+content+`"}`, "")
	a.follow("/chats/c1/events?snapshot=1").want("snapshot")
	a.want(201, "POST", "/chats/c1/messages", `{"content":"`+content+`"}`, "")
	a.want(413, "GET", "/chats/c1/events?snapshot=1", "", "page by page")
}

func TestOneStreamForAllThatAClientFollows(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		s := a.follow("/stream?path=users/local/notes/*&path=" + chat + "/**").live()
		all := a.follow("/stream").live()
		w := a.feed.Begin(draft("m1"))
		a.write(
			"users/local/notes/n1", `{}`, "users/local/other/x", `{}`, "users/somebody/notes/n2", `{}`,
			"users/local/orch-chats/c1", `{}`, "users/local/orch-chats/c2", `{}`,
		)
		s.want("create documents n1", "create chats c1")
		all.want("create documents n1", "create documents x", "create chats c1", "create chats c2")
		w.Text("hm")
		s.want("m1 text 0 hm")
		all.want("m1 text 0 hm")
	})
}

func TestAPositionThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{})
	a.seed("local", "c1")
	a.want(400, "GET", "/chats/c1/events", "", "pass on the id", "Last-Event-ID", "abc")
	a.want(400, "GET", "/stream?from=-1", "", "pass on the id")
	a.want(400, "GET", "/chats/c1/events?snapshot=yes", "", "snapshot is 0 or 1")
}

func TestAPositionThatTheLogDoesNotHaveAsksForAResync(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		a.seed("local", "c1")
		s := a.follow("/chats/c1/events?snapshot=1", "Last-Event-ID", "1000000")
		s.id = "something"
		if e := s.next(); e.name != "resync" || s.id != "" {
			t.Errorf("got %+v; the id is %q, which would be sent again", e, s.id)
		}
		s.ended()
	})
}
