package replication_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/replication"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// listener reads a stream.
type listener struct {
	*testing.T
	lines *bufio.Scanner
}

func (f *fixture) listen(user, path string) *listener {
	f.Helper()
	req, err := http.NewRequestWithContext(f.Context(), "GET", f.url+path, nil)
	if err != nil {
		f.Fatal(err)
	}
	req.Header.Set("X-User", user)
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { res.Body.Close() })
	if got := res.Header.Get("Content-Type"); got != "text/event-stream" {
		f.Fatalf("%s has the type %s", path, got)
	}
	l := &listener{f.T, bufio.NewScanner(res.Body)}
	if got := l.next(); got != "RESYNC" {
		f.Fatalf("the stream opens with %s", got)
	}
	return l
}

// next is the next event: RESYNC, or its scope and the ids of its documents.
func (l *listener) next() string {
	l.Helper()
	for l.lines.Scan() {
		if data, ok := strings.CutPrefix(l.lines.Text(), "data: "); ok {
			return brief(l.T, data)
		}
	}
	l.Fatalf("the stream ended: %v", l.lines.Err())
	return ""
}

func brief(t *testing.T, data string) string {
	t.Helper()
	if data == "RESYNC" {
		return data
	}
	var event struct {
		Scope string
		page
	}
	if err := json.Unmarshal([]byte(data), &event); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	if last := event.Documents[len(event.Documents)-1]; event.Checkpoint.Seq != fmt.Sprint(int64(last["seq"].(float64))) {
		t.Errorf("the checkpoint of %s is not its last", data)
	}
	return event.Scope + " " + strings.Join(event.ids(), " ")
}

func TestAStreamTellsOfEveryScopeWhatHappensInIt(t *testing.T) {
	engines.Each(t, func(t *testing.T, db engines.Database) {
		f := serve(t, db)
		chat, other := f.chat("u1", "c1"), f.chat("u1", "c2")
		f.logged(f.chat("u2", "c1"))
		all := f.listen("u1", "/stream?scope=chats&scope=tasks&scope=messages/c1&scope=documents/users/u1/notes")
		one := f.listen("u1", "/messages/stream?chatId=c1")
		stranger := f.listen("u2", "/stream?scope=messages/c1&userId=u1")
		task := nestor.Task{Type: "agent", Name: "agent:general", Status: "pending"}
		for _, step := range []struct {
			do   func()
			want string // what the first is told, "" for nothing
		}{
			{func() { f.put(chat.Child("messages", "m1"), say("user", "x")) }, "messages/c1 m1"},
			{func() { f.put(other.Child("messages", "m2"), say("user", "x")) }, ""},
			{func() { f.put(other.Child("tasks", "t2"), task) }, "tasks t2"},
			{func() { f.put(chatPath("u2", "c1").Child("tasks", "t3"), task) }, ""},
			{func() { f.put("users/u1/notes/n1", args{}) }, "documents/users/u1/notes n1"},
			{func() { f.put("users/u1/notes/n1/parts/p1", args{}) }, ""},
			{func() { f.put(chat, nestor.Chat{Title: "new"}) }, "chats c1"},
			{func() { f.delete(chat.Child("messages", "m1")) }, "messages/c1 -m1"},
		} {
			step.do()
			if step.want == "" {
				continue
			}
			if got := all.next(); got != step.want {
				t.Errorf("the stream says %q, want %q", got, step.want)
			}
		}
		if got := []string{one.next(), one.next()}; fmt.Sprint(got) != "[messages/c1 m1 messages/c1 -m1]" {
			t.Errorf("the stream of one scope says %q", got)
		}
		f.put(chatPath("u2", "c1").Child("messages", "own"), say("user", "x"))
		f.stop()
		for stranger.lines.Scan() {
			if strings.HasPrefix(stranger.lines.Text(), "data: ") {
				t.Errorf("a stranger hears %s", stranger.lines.Text())
			}
		}
	})
}

// slow is a client that takes nothing more until it is let go on.
type slow struct {
	*httptest.ResponseRecorder
	writes chan string
	goOn   chan struct{}
}

func (s *slow) Write(b []byte) (int, error) {
	s.writes <- string(b)
	<-s.goOn
	return len(b), nil
}

func (s *slow) SetWriteDeadline(time.Time) error { return nil }

func TestASlowClientIsToldOfEverything(t *testing.T) {
	engines.Each(t, func(t *testing.T, db engines.Database) {
		s := db(t, store.Options{})
		tail := feed.New(s, feed.Options{Buffer: 1})
		ctx, cancel := context.WithCancel(t.Context())
		feeding := make(chan error, 1)
		go func() { feeding <- tail.Run(ctx) }()
		h := replication.New(replication.Options{Store: s, Feed: tail, Caller: caller, Fail: fail})
		req := httptest.NewRequest("GET", "/stream?scope=documents/users/u1/notes", nil).WithContext(ctx)
		req.Header.Set("X-User", "u1")
		w := &slow{httptest.NewRecorder(), make(chan string), make(chan struct{})}
		done := make(chan struct{})
		go func() { h.ServeHTTP(w, req); close(done) }()

		f := &fixture{T: t, store: s}
		var told strings.Builder
		hear := func(text string) { // up to a text, piece by piece
			t.Helper()
			for !strings.Contains(told.String(), text) {
				told.WriteString(<-w.writes)
				w.goOn <- struct{}{}
			}
		}
		hear("RESYNC")
		f.put("users/u1/notes/first", args{})
		if text := <-w.writes; !strings.Contains(text, `"id":"first"`) { // and there it stays
			t.Fatalf("then comes %s", text)
		}
		const many = 1000 // more than all queues hold
		for i := range many / 100 {
			f.update(func(tx store.Tx) error {
				for j := range 100 {
					body := map[string]any{"text": "short"}
					if j == 50 {
						body["text"] = strings.Repeat("x", 70_000) // told alone, in pieces
					}
					if _, err := tx.Create(nestor.Path(fmt.Sprint("users/u1/notes/n", i*100+j)), body); err != nil {
						return err
					}
				}
				return nil
			})
		}
		f.put("users/u1/notes/after", args{})
		w.goOn <- struct{}{}
		hear(`"id":"after"`)
		if strings.Count(told.String(), "RESYNC") != 1 {
			t.Error("it is told to resync")
		}
		n := 0
		for line := range strings.Lines(told.String()) {
			data, ok := strings.CutPrefix(line, "data: {")
			if !ok {
				continue
			}
			for id := range strings.SplitSeq(strings.TrimPrefix(brief(t, "{"+data), "documents/users/u1/notes "), " ") {
				if want := fmt.Sprint("n", n); id != "after" && id != want {
					t.Fatalf("it is told of %s, want %s", id, want)
				}
				n++
			}
		}
		if n != many+1 {
			t.Errorf("it is told of %d documents", n)
		}
		cancel()
		<-done
		if err := <-feeding; err != nil {
			t.Error(err)
		}
	})
}

// written collects what a handler writes.
type written struct {
	*httptest.ResponseRecorder
	deadline time.Time
}

func (w *written) SetWriteDeadline(t time.Time) error { w.deadline = t; return nil }

func TestAnIdleStreamShowsThatItIsAliveAndEndsWithTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := engines.SQLite(t)(t, store.Options{})
		tail := feed.New(s, feed.Options{})
		ctx, cancel := context.WithCancel(t.Context())
		feeding := make(chan error, 1)
		go func() { feeding <- tail.Run(ctx) }()
		var loggedOut atomic.Bool
		h := replication.New(replication.Options{
			Store: s, Feed: tail, Fail: fail, Heartbeat: 10 * time.Second, WriteTimeout: time.Minute,
			Caller: func(r *http.Request) (replication.Caller, error) {
				if loggedOut.Load() {
					return nil, nestor.Errorf(nestor.CodeUnauthenticated, "the session is over")
				}
				return self("u1"), nil
			},
		})
		w := &written{ResponseRecorder: httptest.NewRecorder()}
		ended := make(chan time.Time, 1)
		start := time.Now()
		go func() {
			h.ServeHTTP(w, httptest.NewRequest("GET", "/chats/stream", nil).WithContext(ctx))
			ended <- time.Now()
		}()
		time.Sleep(25 * time.Second)
		loggedOut.Store(true)
		if after := (<-ended).Sub(start); after != 30*time.Second {
			t.Errorf("the stream ended after %v, want the next heartbeat", after)
		}
		if got := w.Body.String(); got != "data: RESYNC\n\n:\n\n:\n\n" {
			t.Errorf("it sent %q", got)
		}
		if got := w.deadline.Sub(start); got != 20*time.Second+time.Minute {
			t.Errorf("the last write had until %v", got)
		}
		cancel()
		if err := <-feeding; err != nil {
			t.Error(err)
		}
		s.Close()
	})
}
