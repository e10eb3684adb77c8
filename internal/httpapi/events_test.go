package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// events reads a stream as a browser does.
type events struct {
	*testing.T
	body   *bufio.Reader
	cancel func()
	id     string // of the last event
}

type event struct {
	name, id, data string
}

// follow opens a stream. All that was written before is in the past by then.
func (a *api) follow(path string, header ...string) *events {
	a.Helper()
	a.mark()
	res := a.request("GET", path, "", header...)
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" {
		text, _ := io.ReadAll(res.Body)
		a.Fatalf("%s: %d %s", path, res.StatusCode, text)
	}
	return &events{T: a.T, body: bufio.NewReader(res.Body), cancel: func() { res.Body.Close() }}
}

// block reads up to the next empty line. A block without an event is a
// heartbeat.
func (s *events) block() (e event, err error) {
	for {
		line, err := s.body.ReadString('\n')
		if err != nil {
			return e, err
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "\n":
			return e, nil
		case field == "event":
			e.name = value
		case field == "data":
			e.data += value
		case field == "id":
			e.id, s.id = value, value
		}
	}
}

// next reads the next event that is not a heartbeat.
func (s *events) next() event {
	s.Helper()
	for {
		e, err := s.block()
		if err != nil {
			s.Fatalf("the stream ended: %v", err)
		}
		if e.name != "" {
			return e
		}
	}
}

// line is the next event in short.
func (s *events) line() string {
	s.Helper()
	e := s.next()
	var d struct {
		Type, ID, Kind, Text, Collection string
		Offset                           int
	}
	if err := json.Unmarshal([]byte(e.data), &d); err != nil {
		s.Fatal(err)
	}
	switch e.name {
	case "change":
		return d.Type + " " + d.Collection + " " + d.ID
	case "delta":
		return strings.TrimSpace(fmt.Sprintf("%s %s %d %s", d.ID, d.Kind, d.Offset, d.Text))
	}
	return e.name
}

func (s *events) want(lines ...string) {
	s.Helper()
	for _, want := range lines {
		if got := s.line(); got != want {
			s.Fatalf("got %s, want %s", got, want)
		}
	}
}

// live waits until the stream has caught up.
func (s *events) live() *events {
	s.Helper()
	if e, err := s.block(); err != nil || e.name != "" || e.id == "" {
		s.Fatalf("the first thing told is %+v, %v", e, err)
	}
	return s
}

func (s *events) ended() {
	s.Helper()
	if e, err := s.block(); !errors.Is(err, io.EOF) {
		s.Errorf("the stream goes on with %+v, %v", e, err)
	}
}

const chat = "users/local/orch-chats/c1"

func draft(id string) feed.Draft { return feed.Draft{Path: chat + "/messages/" + nestor.Path(id)} }

func TestEventsOfAChat(t *testing.T) {
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

func TestAStreamGoesOnAtTheExactEvent(t *testing.T) {
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

func TestWhoReconnectsGetsNoSecondSnapshot(t *testing.T) {
	a := serve(t, engines.SQLite(t), setup{})
	a.seed("local", "c1")
	s := a.follow("/chats/c1/events?snapshot=1")
	s.want("snapshot")
	a.want(201, "POST", "/chats/c1/messages", `{"id":"m2","content":"x"}`, "")
	a.follow("/chats/c1/events?snapshot=1", "Last-Event-ID", s.id).want("create messages m2")
}

func TestAnEmptyChatHasASnapshot(t *testing.T) {
	a := serve(t, engines.SQLite(t), setup{})
	a.want(201, "POST", "/chats", `{"id":"c1"}`, "")
	if e := a.follow("/chats/c1/events?snapshot=1").next(); !strings.HasSuffix(e.data, `"messages":[],"tasks":[],"subAgents":[]}`) {
		t.Errorf("got %s", e.data)
	}
}

func TestAChatTooLargeForASnapshotIsToldSo(t *testing.T) {
	a := serve(t, engines.SQLite(t), setup{api: func(o *httpapi.Options) { o.MaxSnapshot = 10_000 }})
	a.want(201, "POST", "/chats", `{"id":"c1"}`, "")
	content := strings.Repeat("x", 6_000)
	a.want(201, "POST", "/chats/c1/messages", `{"content":"`+content+`"}`, "")
	a.follow("/chats/c1/events?snapshot=1").want("snapshot")
	a.want(201, "POST", "/chats/c1/messages", `{"content":"`+content+`"}`, "")
	a.want(413, "GET", "/chats/c1/events?snapshot=1", "", "page by page")
}

func TestOneStreamForAllThatAClientFollows(t *testing.T) {
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

func TestNobodyFollowsWhatIsNotTheirs(t *testing.T) {
	a := serve(t, engines.SQLite(t), setup{})
	a.seed("u1", "c1")
	a.seed("u1", "c2")
	for _, path := range []string{"**", "users/**", "users/*/notes/*", "*/local/**", "users/other/**", "users/localhost/**", "secrets/**"} {
		a.want(403, "GET", "/stream?path="+path, "", `"code":"forbidden"`)
	}
	a.want(400, "GET", "/stream?path=users/local/**/x", "", "last segment")
	a.want(400, "GET", "/stream?x="+strings.Repeat("&path=users/local/a", 101), "", "at most 100")
	a.want(404, "GET", "/chats/c1/events", "", "not_found")
	a.want(404, "GET", "/chats/c1/events?snapshot=1", "", "not_found")

	as := []string{"Authorization", a.grant("u1", "users/u1/orch-chats/c1")}
	for _, path := range []string{"users/u1/**", "users/u1/orch-chats/c2", "users/u1/orch-chats/*", "users/local/**"} {
		a.want(403, "GET", "/stream?path="+path, "", `"code":"forbidden"`, as...)
	}
	s := a.follow("/stream", as...).live()
	chats := a.follow("/chats/c1/events", as...).live()
	a.write("users/u1/orch-chats/c2/messages/m2", `{"role":"user","content":"x"}`, "users/u1/orch-chats/c1/messages/m3", `{"role":"user","content":"x"}`)
	s.want("create messages m3")
	chats.want("create messages m3")
}

func TestAStreamEndsWithItsGrant(t *testing.T) {
	a := serve(t, engines.SQLite(t), setup{})
	a.seed("u1", "c1")
	expires := time.Now().Add(2 * time.Second).Unix()
	bearer := "Bearer " + a.key.MintToken(access.Grant{User: "u1", Path: "users/u1/orch-chats/c1", Expires: expires})
	s := a.follow("/stream", "Authorization", bearer).live()
	s.ended()
	if time.Now().Unix() < expires {
		t.Error("it ended too early")
	}
}

func TestAPositionThatIsNoneIsRefused(t *testing.T) {
	a := serve(t, engines.SQLite(t), setup{})
	a.seed("local", "c1")
	a.want(400, "GET", "/chats/c1/events", "", "pass on the id", "Last-Event-ID", "abc")
	a.want(400, "GET", "/stream?from=-1", "", "pass on the id")
	a.want(400, "GET", "/chats/c1/events?snapshot=yes", "", "snapshot is 0 or 1")
}

func TestAPositionThatTheLogDoesNotHaveAsksForAResync(t *testing.T) {
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

// slowly makes the buffers of both ends of a connection so small that a client
// which does not read is noticed soon.
func slowly(srv *http.Server) {
	srv.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if err := c.(*net.TCPConn).SetWriteBuffer(4 << 10); err != nil {
			panic(err)
		}
		return ctx
	}
}

// slow is a client with a small buffer.
func slow(t *testing.T) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		ReadBufferSize:    4 << 10,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			c, err := (&net.Dialer{}).DialContext(ctx, network, addr)
			if err == nil {
				err = c.(*net.TCPConn).SetReadBuffer(4 << 10)
			}
			if err != nil {
				t.Error(err)
			}
			return c, err
		},
	}}
}

func TestAClientThatDoesNotReadIsCutOff(t *testing.T) {
	a := serve(t, engines.SQLite(t), setup{
		api:    func(o *httpapi.Options) { o.WriteTimeout = 50 * time.Millisecond },
		server: slowly,
	})
	a.client = slow(t)
	s := a.follow("/stream").live()
	body := `{"text":"` + strings.Repeat("x", 100_000) + `"}`
	for i := 0; a.feed.Subscribers() > 0; i++ {
		a.write(fmt.Sprintf("users/local/notes/n%d", i%10), body)
		runtime.Gosched()
	}
	for { // what was on its way arrives; then the connection is closed
		if _, err := s.block(); err != nil {
			return
		}
	}
}

func TestAClientThatReadsTooSlowlyIsAskedToResync(t *testing.T) {
	a := serve(t, engines.SQLite(t), setup{feed: feed.Options{Buffer: 5}, server: slowly})
	a.client = slow(t)
	s := a.follow("/stream").live()
	body := `{"text":"` + strings.Repeat("x", 50_000) + `"}`
	for i := range 20 { // more than the buffers hold
		a.write(fmt.Sprintf("users/local/notes/n%d", i), body)
	}
	got := 0
	for e := s.next(); e.name != "resync"; e = s.next() {
		if want := fmt.Sprintf(`"id":"n%d"`, got); !strings.Contains(e.data, want) {
			t.Fatalf("event %d is without %s", got, want)
		}
		got++
	}
	if got == 20 {
		t.Error("it was asked to resync though it missed nothing")
	}
	s.ended()
}

func TestHeartbeatsKeepAStreamOpenBeyondTheLimitsOfRequests(t *testing.T) {
	a := serve(t, engines.SQLite(t), setup{
		feed:   feed.Options{Beat: 20 * time.Millisecond},
		server: func(srv *http.Server) { srv.ReadTimeout, srv.WriteTimeout = 200*time.Millisecond, 200*time.Millisecond },
	})
	s := a.follow("/stream")
	for range 20 {
		s.live() // tells the position each time
	}
	a.write("users/local/notes/n1", `{}`)
	s.want("create documents n1")
}

func TestStreamsEndWhenTheServerStops(t *testing.T) {
	a := serve(t, engines.SQLite(t), setup{})
	a.seed("local", "c1")
	streams := []*events{a.follow("/stream").live(), a.follow("/chats/c1/events").live()}
	stopped := make(chan error)
	go func() { stopped <- a.server.Config.Shutdown(t.Context()) }()
	a.stop()
	for _, s := range streams {
		s.ended()
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

func TestAClientThatGoesAwayIsForgotten(t *testing.T) {
	a := serve(t, engines.SQLite(t), setup{})
	s := a.follow("/stream").live()
	s.cancel()
	for a.feed.Subscribers() > 0 {
		runtime.Gosched()
	}
}
