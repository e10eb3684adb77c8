package access_test

import (
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestOnlyAProxySaysWhereARequestComesFrom(t *testing.T) {
	t.Parallel()
	proxies, err := access.ParseProxies([]string{"10.0.0.0/8", "127.0.0.1", "2001:db8:ff::/48", "::ffff:192.0.2.0/120"})
	if err != nil {
		t.Fatal(err)
	}
	h := newHouse(t, engines.SQLite(t))
	g := h.gate(func(o *access.Options) { o.Proxies = proxies })
	for name, c := range map[string]struct{ peer, forwarded, want string }{
		"nobody else":                         {"198.51.100.1:5000", "203.0.113.9", "198.51.100.1"},
		"a proxy":                             {"10.1.2.3:5000", "203.0.113.9", "203.0.113.9"},
		"a proxy on the machine":              {"127.0.0.1:5000", "203.0.113.9", "203.0.113.9"},
		"a mapped address of a proxy":         {"[::ffff:10.1.2.3]:5000", "203.0.113.9", "203.0.113.9"},
		"a network in mapped form":            {"192.0.2.7:1", "203.0.113.9", "203.0.113.9"},
		"what the client wrote is passed by":  {"10.1.2.3:5000", "127.0.0.1, 10.9.9.9, 203.0.113.9", "203.0.113.9"},
		"two proxies":                         {"10.1.2.3:5000", "8.8.8.8, 203.0.113.9, 10.0.0.2, 127.0.0.1", "203.0.113.9"},
		"in several headers":                  {"10.1.2.3:5000", "8.8.8.8\n203.0.113.9\n10.0.0.2", "203.0.113.9"},
		"with ports":                          {"10.1.2.3:5000", "203.0.113.9:1234", "203.0.113.9"},
		"over IPv6":                           {"[2001:db8:ff::1]:5000", "[2001:db8::9]:1234", "2001:db8::9"},
		"a proxy that says nothing":           {"10.1.2.3:5000", "", "10.1.2.3"},
		"a proxy for itself":                  {"10.1.2.3:5000", "10.0.0.7", "10.0.0.7"},
		"no address":                          {"10.1.2.3:5000", "203.0.113.9, unknown", "10.1.2.3"},
		"no address behind a second proxy":    {"10.1.2.3:5000", "203.0.113.9, \x00, 10.0.0.2", "10.0.0.2"},
		"a connection that has no address":    {"@", "203.0.113.9", "@"},
		"a zone does not make another client": {"[fe80::1%eth0]:1", "", "fe80::1"},
	} {
		r := request("GET")
		r.RemoteAddr = c.peer
		for _, value := range strings.Split(c.forwarded, "\n") {
			r.Header.Add("X-Forwarded-For", value)
		}
		if got := g.ClientOf(r).Address; got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	for name, c := range map[string]struct {
		peer, proto string
		want        bool
	}{
		"a proxy that speaks TLS":     {"10.1.2.3:5000", "https", true},
		"one that does not":           {"10.1.2.3:5000", "http", false},
		"what the client wrote":       {"10.1.2.3:5000", "https, http", false},
		"somebody who is not a proxy": {"198.51.100.1:5000", "https", false},
	} {
		r := request("GET", "X-Forwarded-Proto", c.proto)
		r.RemoteAddr = c.peer
		if got := g.IsSecure(r); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestAProxyThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "localhost", "10.0.0.0/33", "0.0.0.0/0", "::/0", "fe80::1%eth0", "10.0.0.1:80"} {
		if _, err := access.ParseProxies([]string{text}); nestor.CodeOf(err) != nestor.CodeInvalid {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestOnlyAProxySaysUnderWhichNameAClientReachesUs(t *testing.T) {
	t.Parallel()
	proxies, err := access.ParseProxies([]string{"10.0.0.0/8"})
	if err != nil {
		t.Fatal(err)
	}
	h := newHouse(t, engines.SQLite(t))
	g := h.gate(func(o *access.Options) { o.Proxies = proxies })
	for name, c := range map[string]struct{ peer, forwarded, want string }{
		"nobody else":                 {"198.51.100.1:5000", "nestor.example", "inside:8080"},
		"a proxy":                     {"10.1.2.3:5000", "nestor.example", "nestor.example"},
		"with a port":                 {"10.1.2.3:5000", "nestor.example:8443", "nestor.example:8443"},
		"an address":                  {"10.1.2.3:5000", "[2001:db8::1]:8443", "[2001:db8::1]:8443"},
		"what the client wrote":       {"10.1.2.3:5000", "evil.example, nestor.example", "nestor.example"},
		"a proxy that says nothing":   {"10.1.2.3:5000", "", "inside:8080"},
		"something that is no name":   {"10.1.2.3:5000", "nestor.example/path?<script>", "inside:8080"},
		"a name of somebody else's @": {"10.1.2.3:5000", "nestor.example@evil.example", "inside:8080"},
	} {
		r := request("GET")
		r.RemoteAddr, r.Host = c.peer, "inside:8080"
		r.Header.Set("X-Forwarded-Host", c.forwarded)
		if got := g.BaseURL(r); got != "http://"+c.want {
			t.Errorf("%s: it is %q, want %q", name, got, c.want)
		}
	}
}
