package netguard

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/nestorhq/nestor"
)

// nameServer answers over UDP on loopback. The n-th question for an address of a
// name gets the n-th list of answers, and the last list from then on.
type nameServer struct {
	conn    net.PacketConn
	answers map[string][][]netip.Addr

	mu    sync.Mutex
	asked map[string]int
}

func serveNames(t *testing.T, answers map[string][][]netip.Addr) *net.Resolver {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &nameServer{conn: conn, answers: answers, asked: map[string]int{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.run()
	}()
	t.Cleanup(func() {
		conn.Close()
		<-done
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func (s *nameServer) run() {
	buf := make([]byte, 1500)
	for {
		n, from, err := s.conn.ReadFrom(buf)
		if err != nil {
			return // closed
		}
		var query dnsmessage.Message
		if query.Unpack(buf[:n]) != nil || len(query.Questions) != 1 {
			continue
		}
		reply, err := s.reply(&query)
		if err == nil {
			s.conn.WriteTo(reply, from)
		}
	}
}

func (s *nameServer) reply(query *dnsmessage.Message) ([]byte, error) {
	q := query.Questions[0]
	m := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: query.ID, Response: true, Authoritative: true, RecursionAvailable: true},
		Questions: query.Questions,
	}
	name := strings.TrimSuffix(strings.ToLower(q.Name.String()), ".")
	for _, ip := range s.next(name, q.Type) {
		header := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 0}
		switch {
		case q.Type == dnsmessage.TypeA && ip.Is4():
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: ip.As4()}})
		case q.Type == dnsmessage.TypeAAAA && ip.Is6():
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: ip.As16()}})
		}
	}
	return m.Pack()
}

func (s *nameServer) next(name string, kind dnsmessage.Type) []netip.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	lists := s.answers[name]
	if len(lists) == 0 {
		return nil
	}
	key := name + " " + kind.String()
	i := min(s.asked[key], len(lists)-1)
	s.asked[key]++
	return lists[i]
}

func addresses(texts ...string) (list []netip.Addr) {
	for _, text := range texts {
		list = append(list, netip.MustParseAddr(text))
	}
	return list
}

var errStopped = errors.New("stopped before a packet left")

// A name that answers with a public address first and a private one later, or
// with both at once, leads to no connection into the network, on any request or
// redirect. What is judged is the address of the socket.
func TestANameThatChangesItsAddressLeadsNowherePrivate(t *testing.T) {
	var hits int
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits++ }))
	defer inside.Close()
	_, port, _ := net.SplitHostPort(inside.Listener.Addr().String())
	const public, public6 = "93.184.216.34", "2606:2800:220:1::1"

	tests := []struct {
		name    string
		answers [][]netip.Addr
		want    []nestor.Code // of one request after the other; "" where the order of addresses decides
	}{
		{"public, then private", [][]netip.Addr{addresses(public), addresses("127.0.0.1")}, []nestor.Code{nestor.CodeUnavailable, nestor.CodeForbidden, nestor.CodeForbidden}},
		{"private, then public", [][]netip.Addr{addresses("127.0.0.1"), addresses(public)}, []nestor.Code{nestor.CodeForbidden, nestor.CodeUnavailable}},
		{"private behind public", [][]netip.Addr{addresses(public, "127.0.0.1")}, []nestor.Code{""}},
		{"private before public", [][]netip.Addr{addresses("127.0.0.1", public)}, []nestor.Code{""}},
		{"private IPv6 beside public IPv4", [][]netip.Addr{addresses("::1", public)}, []nestor.Code{""}},
		{"private IPv4 beside public IPv6", [][]netip.Addr{addresses(public6, "127.0.0.1")}, []nestor.Code{""}},
		{"an IPv4-mapped answer", [][]netip.Addr{addresses("::ffff:127.0.0.1")}, []nestor.Code{nestor.CodeForbidden}},
		{"a NAT64 answer", [][]netip.Addr{addresses("64:ff9b::7f00:1")}, []nestor.Code{nestor.CodeForbidden}},
		{"the unspecified address", [][]netip.Addr{addresses("0.0.0.0")}, []nestor.Code{nestor.CodeForbidden}},
		{"the metadata service", [][]netip.Addr{addresses(public), addresses("169.254.169.254")}, []nestor.Code{nestor.CodeUnavailable, nestor.CodeForbidden}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var mu sync.Mutex
			var agreed []string
			client := Client(Options{
				Permit:   "ask somebody",
				resolver: serveNames(t, map[string][][]netip.Addr{"rebind.test": tt.answers}),
				agreed: func(address string) error {
					mu.Lock()
					defer mu.Unlock()
					agreed = append(agreed, address)
					return errStopped
				},
			})
			defer client.CloseIdleConnections()
			for i, want := range tt.want {
				resp, err := client.Get("http://rebind.test:" + port + "/")
				if err == nil {
					resp.Body.Close()
					t.Fatalf("request %d connected: %s", i+1, resp.Status)
				}
				if got := Code(err); want != "" && got != want {
					t.Errorf("request %d: %v, want code %s", i+1, err, want)
				}
				if want == nestor.CodeForbidden && !strings.Contains(err.Error(), "; ask somebody to permit it") {
					t.Errorf("request %d does not say how to permit it: %v", i+1, err)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			for _, address := range agreed {
				host, _, _ := net.SplitHostPort(address)
				if !slices.Contains([]string{public, public6}, host) {
					t.Errorf("the guard agreed to %s", address)
				}
			}
		})
	}
	if hits != 0 {
		t.Errorf("the server inside got %d requests", hits)
	}
}

// A public server that redirects into the network gets nobody there, however far
// redirects are followed and however the address is spelled.
func TestARedirectIntoTheNetworkIsRefusedAtItsHop(t *testing.T) {
	var hits int
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits++ }))
	defer inside.Close()
	_, port, _ := net.SplitHostPort(inside.Listener.Addr().String())
	outside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hop" {
			http.Redirect(w, r, "/hop2?to="+r.FormValue("to"), http.StatusTemporaryRedirect)
			return
		}
		w.Header().Set("Location", "http://"+r.FormValue("to")+"/")
		w.WriteHeader(http.StatusTemporaryRedirect)
	}))
	defer outside.Close()

	resolver := serveNames(t, map[string][][]netip.Addr{"inside.test": {addresses("127.0.0.1")}, "inside6.test": {addresses("::1")}})
	for _, to := range []string{
		"127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port, "[::ffff:127.0.0.1]:" + port, "0.0.0.0:" + port, "inside.test:" + port,
		"inside6.test:" + port, "169.254.169.254", "10.0.0.1", "100.64.0.1", "[64:ff9b::a00:1]", "[fe80::1]", "224.0.0.1",
	} {
		t.Run(to, func(t *testing.T) {
			client := Client(Options{Redirects: AnyHost, resolver: resolver})
			defer client.CloseIdleConnections()
			// The first host stands for one of the public internet.
			transport := client.Transport.(*http.Transport)
			guarded := transport.DialContext
			transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
				if address == "outside.test:80" {
					return new(net.Dialer).DialContext(ctx, network, outside.Listener.Addr().String())
				}
				return guarded(ctx, network, address)
			}
			resp, err := client.Post("http://outside.test/hop?to="+to, "text/plain", strings.NewReader("secret"))
			if err == nil {
				resp.Body.Close()
				t.Fatalf("got %s", resp.Status)
			}
			if Code(err) != nestor.CodeForbidden {
				t.Errorf("got %v", err)
			}
		})
	}
	if hits != 0 {
		t.Errorf("the server inside got %d requests", hits)
	}
}

// The name server of the test is really asked: when private addresses are
// permitted the same names do connect.
func TestTheNameServerOfTheTestIsReallyAsked(t *testing.T) {
	inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	defer inside.Close()
	_, port, _ := net.SplitHostPort(inside.Listener.Addr().String())
	client := Client(Options{
		AllowPrivate: true,
		resolver:     serveNames(t, map[string][][]netip.Addr{"rebind.test": {addresses("127.0.0.1")}}),
	})
	defer client.CloseIdleConnections()
	resp, err := client.Get("http://rebind.test:" + port + "/")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusTeapot {
		t.Errorf("got %s", resp.Status)
	}
}
