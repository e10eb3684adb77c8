package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store/engines"
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

func TestAStreamEndsInOrderWithItsGrant(t *testing.T) {
	// It is quiet for longer than a write may take.
	a := serve(t, engines.SQLite(t), setup{api: func(o *httpapi.Options) { o.WriteTimeout = 200 * time.Millisecond }})
	a.seed("u1", "c1")
	expires := time.Now().Add(2 * time.Second).Unix()
	bearer := "Bearer " + a.key.MintToken(access.Grant{User: "u1", Path: "users/u1/orch-chats/c1", Expires: expires})
	s := a.follow("/stream", "Authorization", bearer).live()
	s.ended()
	if time.Now().Unix() < expires {
		t.Error("it ended too early")
	}
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
