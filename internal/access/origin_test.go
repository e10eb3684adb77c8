package access_test

import (
	"context"
	"net"
	"net/http"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
)

func TestOnlyOurOwnPagesChangeSomethingWithACookie(t *testing.T) {
	const site, origin = "Sec-Fetch-Site", "Origin"
	for name, c := range map[string]struct {
		method  string
		headers []string
		ok      bool
	}{
		"reading":                          {"GET", []string{site, "cross-site", origin, "https://evil.example"}, true},
		"asking what there is":             {"HEAD", nil, true},
		"asking what is allowed":           {"OPTIONS", nil, true},
		"our page":                         {"POST", []string{site, "same-origin", origin, "http://nestor.example"}, true},
		"our page, in an old browser":      {"POST", []string{origin, "http://nestor.example"}, true},
		"our page, in other letters":       {"POST", []string{origin, "http://NESTOR.example"}, true},
		"our page over TLS":                {"POST", []string{origin, "https://nestor.example"}, true},
		"a name we are told to have":       {"POST", []string{origin, "https://chat.example"}, true},
		"such a name at another port":      {"POST", []string{origin, "https://chat.example:8443"}, true},
		"a name with its port":             {"POST", []string{origin, "https://ports.example:8443"}, true},
		"that name at another port":        {"POST", []string{origin, "https://ports.example:8444"}, false},
		"our name at another port":         {"POST", []string{origin, "http://nestor.example:3000"}, false},
		"another site":                     {"POST", []string{site, "cross-site", origin, "https://evil.example"}, false},
		"another site that fakes nothing":  {"POST", []string{origin, "https://evil.example"}, false},
		"a neighbour":                      {"POST", []string{site, "same-site", origin, "https://other.nestor.example"}, false},
		"a name that ends like ours":       {"POST", []string{origin, "http://evilnestor.example"}, false},
		"a name that begins like ours":     {"POST", []string{origin, "http://nestor.example.evil.example"}, false},
		"the address bar":                  {"POST", []string{site, "none"}, false},
		"a sandbox":                        {"POST", []string{origin, "null"}, false},
		"a file":                           {"POST", []string{origin, "file://nestor.example"}, false},
		"no header at all":                 {"POST", nil, false},
		"two answers":                      {"POST", []string{site, "same-origin", site, "cross-site"}, false},
		"two origins":                      {"POST", []string{origin, "http://nestor.example", origin, "https://evil.example"}, false},
		"no URL":                           {"POST", []string{origin, "http://%zz"}, false},
		"a method that nobody knows":       {"BREW", nil, false},
		"our name as the user of a URL":    {"POST", []string{origin, "http://nestor.example@evil.example"}, false},
		"what an old proxy makes of ours":  {"POST", []string{origin, ""}, false},
		"deleting from our page":           {"DELETE", []string{site, "same-origin"}, true},
		"deleting from nowhere":            {"DELETE", nil, false},
		"the origin is ours, the site not": {"POST", []string{site, "cross-site", origin, "http://nestor.example"}, false},
	} {
		err := access.CheckOrigin(request(c.method, c.headers...), "chat.example", "ports.example:8443")
		if c.ok != (err == nil) || !c.ok && nestor.CodeOf(err) != nestor.CodeForbidden {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOnlyNamesOfOursAreAnswered(t *testing.T) {
	for host, ok := range map[string]bool{
		"localhost": true, "LOCALHOST:8787": true, "localhost.": true, "app.localhost:80": true,
		"127.0.0.1": true, "127.1.2.3:8787": true, "[::1]:8787": true, "[::1]": true, "[::ffff:127.0.0.1]:80": true,
		"nestor.example": true, "Nestor.Example:443": true, "ports.example:8443": true,
		"192.0.2.5": true, "192.0.2.5:9999": true,
		"": false, "evil.example": false, "evil.example:8787": false, "localhost.evil.example": false, "127.0.0.1.evil.example": false,
		"evil-localhost": false, "ports.example:1": false, "sub.nestor.example": false, "192.0.2.6": false, "[2001:db8::1]": false, "0.0.0.0": false,
		"nestor.example:443:443": false, "[": false,
	} {
		r := request("GET")
		r.Host = host
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.ParseIP("192.0.2.5"), Port: 8787})))
		if err := access.CheckHost(r, "nestor.example", "ports.example:8443"); ok != (err == nil) || !ok && nestor.CodeOf(err) != nestor.CodeForbidden {
			t.Errorf("%q: %v", host, err)
		}
	}
}
