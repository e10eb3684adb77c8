package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestNobodyFollowsWhatIsNotTheirs(t *testing.T) {
	a := serve(t, engines.SQLite(t), setup{})
	a.seed("u1", "c1")
	a.seed("u1", "c2")
	u2 := []string{"Authorization", a.apiKey("u2", access.ScopeWrite)}
	for _, path := range []string{"**", "users/**", "users/*/notes/*", "*/u2/**", "users/u1/**", "users/u22/**", "users/u1/orch-chats/c1/**", "secrets/**"} {
		a.want(403, "GET", "/stream?path="+path, "", `"code":"forbidden"`, u2...)
	}
	a.want(403, "GET", "/stream?path=secrets/**", "", `"code":"forbidden"`) // not even to whoever runs the server
	a.want(400, "GET", "/stream?path=users/local/**/x", "", "last segment")
	a.want(400, "GET", "/stream?path=users/local/a"+strings.Repeat("&path=users/local/a", 100), "", "at most 100")
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

func TestTheLocalUserIsToldOfWhatIsOlderThanTheirDocument(t *testing.T) {
	a := serve(t, engines.SQLite(t), setup{})
	a.seed("local", "c1")
	a.want(201, "POST", "/keys", `{"name":"first","scopes":["write"]}`, `"key"`) // for which the document users/local is made
	s := a.follow("/stream?path=users/local/**&from=0")
	s.want("create chats c1")
}

func TestAStreamEndsInOrderWithItsGrant(t *testing.T) {
	var later atomic.Int64 // what the clock of the server is ahead
	a := serve(t, engines.SQLite(t), setup{gate: func(o *access.Options) {
		o.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	}})
	a.seed("u1", "c1")
	bearer := "Bearer " + a.key.MintToken(access.Grant{User: "u1", Path: "users/u1/orch-chats/c1", Expires: time.Now().Add(time.Hour).Unix()})
	s := a.follow("/stream", "Authorization", bearer).live()
	a.write("users/u1/orch-chats/c1/messages/m2", `{"role":"user","content":"x"}`)
	s.want("create messages m2")
	later.Store(int64(time.Hour))
	s.ended()
}

// slowly bounds the buffers at the server's end of connections, so that a client
// which does not read is noticed soon.
func slowly(size int) func(*http.Server) {
	return func(srv *http.Server) {
		srv.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
			if err := c.(*net.TCPConn).SetWriteBuffer(size); err != nil {
				panic(err)
			}
			return ctx
		}
	}
}

// slow is a client with a buffer of some size.
func slow(t *testing.T, size int) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		ReadBufferSize:    4 << 10,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			c, err := (&net.Dialer{}).DialContext(ctx, network, addr)
			if err == nil {
				err = c.(*net.TCPConn).SetReadBuffer(size)
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
		api:    func(o *httpapi.Options) { o.WriteTimeout = time.Second },
		server: slowly(4 << 10),
	})
	a.client = slow(t, 4<<10)
	s := a.follow("/stream").live()
	body := `{"text":"` + strings.Repeat("x", 100_000) + `"}`
	i := 0
	testmain.Until(t, "the client is cut off", func() bool {
		i++
		a.write(fmt.Sprintf("users/local/notes/n%d", i%10), body)
		return a.feed.Subscribers() == 0
	})
	for { // what was on its way arrives; then the server has closed the connection
		_, err := s.block()
		if errors.Is(err, context.DeadlineExceeded) {
			t.Error("it was the client who lost patience")
		}
		if err != nil {
			return
		}
	}
}

// A client that does not read while thousands of documents are written, many
// more than are kept for it, gets all of them when it goes on.
func TestAClientThatStopsReadingDuringABurstMissesNothing(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{
			feed: feed.Options{HeldBytes: 1 << 20}, server: slowly(128 << 10),
			api: func(o *httpapi.Options) { o.WriteTimeout = time.Minute }, // the burst may take longer than a client is waited for
		})
		a.seed("local", "c1")
		a.client = slow(t, 128<<10)
		streams := map[string]*events{
			"all":  a.follow("/stream").live(),
			"chat": a.follow("/chats/c1/events").live(),
		}
		copied := a.follow("/replication/stream?scope=documents/users/local/orch-chats/c1/notes")
		copied.until("RESYNC")
		const writes, each = 20, 100
		for i := range writes {
			var docs []string
			for j := range each {
				text := "short"
				if j == 0 {
					text = strings.Repeat("x", 60_000)
				}
				docs = append(docs, fmt.Sprintf("users/local/orch-chats/c1/notes/n%d", i*each+j), `{"text":"`+text+`"}`)
			}
			a.write(docs...)
		}
		for name, s := range streams {
			for i := range writes * each {
				if got, want := s.line(), fmt.Sprintf("create documents n%d", i); got != want {
					t.Fatalf("%s: got %s, want %s", name, got, want)
				}
			}
		}
		for n := 0; n < writes*each; {
			told := copied.until(`"documents"`)
			if strings.Contains(told, "RESYNC") {
				t.Fatalf("told to resync after %d", n)
			}
			for _, id := range ids.FindAllStringSubmatch(told, -1) {
				if want := fmt.Sprintf("n%d", n); id[1] != want {
					t.Fatalf("the copy is told of %s, want %s", id[1], want)
				}
				n++
			}
		}
		if held := a.feed.Held(); held > 1<<20 {
			t.Errorf("%d bytes are kept", held)
		}
	})
}

var ids = regexp.MustCompile(`"id":"(n\d+)"`)

func TestWhoHasTooManyStreamsIsTold(t *testing.T) {
	a := serve(t, engines.SQLite(t), setup{api: func(o *httpapi.Options) { o.StreamsPerUser, o.Streams = 3, 4 }})
	a.seed("local", "c1")
	open := []*events{a.follow("/stream"), a.follow("/chats/c1/events?snapshot=1"), a.follow("/replication/stream?scope=chats")}
	paths := []string{"/stream", "/chats/c1/events", "/replication/chats/stream"}
	for _, path := range paths {
		res := a.request("GET", path, "")
		text, _ := io.ReadAll(res.Body)
		if res.StatusCode != 429 || res.Header.Get("Retry-After") == "" || !strings.Contains(string(text), `"code":"rate_limited"`) ||
			!strings.Contains(string(text), `"of":"user"`) {
			t.Errorf("%s: %d %s", path, res.StatusCode, text)
		}
	}
	a.want(200, "GET", "/chats", "", "") // only streams are refused
	for range 5 {                        // streams that were refused, or failed, do not count
		a.want(404, "GET", "/chats/none/events", "", "", "Authorization", a.apiKey("ada", access.ScopeWrite))
	}
	other := a.follow("/stream", "Authorization", a.apiKey("ada", access.ScopeWrite))
	a.want(429, "GET", "/stream", "", `"of":"server"`, "Authorization", a.apiKey("bob", access.ScopeWrite))
	other.cancel()
	for _, s := range open {
		s.cancel()
	}
	for _, path := range paths { // once the server has noticed
		testmain.Until(t, "the server notices that they went", func() bool { return a.request("GET", path, "").StatusCode == 200 })
	}
}

func TestHeartbeatsKeepAStreamOpenBeyondTheLimitsOfRequests(t *testing.T) {
	t.Parallel()
	const limit = 2 * time.Second // in which a loaded machine reads a request
	a := serve(t, engines.SQLite(t), setup{
		feed:   feed.Options{Beat: limit / 20},
		server: func(srv *http.Server) { srv.ReadTimeout, srv.WriteTimeout = limit, limit },
	})
	s := a.follow("/stream").live()
	for began := time.Now(); time.Since(began) < limit+limit/2; {
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
	testmain.Until(t, "the server notices that it went", func() bool { return a.feed.Subscribers() == 0 })
}
