package access

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/nestorhq/nestor"
)

// CheckOrigin refuses a request that changes something and was made by a page
// of another site: browsers send our cookies with it all the same.
// Sec-Fetch-Site tells or, in its absence, Origin, which must name the host
// that the request goes to or one of hosts. A request with neither header is
// refused, too: it is not from a browser, so it should have no cookie.
//
// A host without a port stands for every port of it.
func CheckOrigin(r *http.Request, hosts ...string) error {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return nil
	}
	foreign := nestor.Errorf(nestor.CodeForbidden,
		"a session cookie is good for requests of our own pages only: programs send Authorization: Bearer TOKEN")
	sites, origins := r.Header.Values("Sec-Fetch-Site"), r.Header.Values("Origin")
	if len(sites) > 0 {
		if len(sites) == 1 && sites[0] == "same-origin" {
			return nil
		}
		return foreign
	}
	if len(origins) != 1 {
		return foreign
	}
	u, err := url.Parse(origins[0])
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return foreign
	}
	if !strings.EqualFold(u.Host, r.Host) && !isOneOf(u.Host, hosts) {
		return foreign
	}
	return nil
}

// CheckHost refuses a request whose Host is not a name of this server. It gives
// away a page that made a name of its own lead to this machine (DNS rebinding).
// The server's names are loopback names and addresses, the address that the
// connection came in on, and hosts. A host without a port stands for every port
// of it.
func CheckHost(r *http.Request, hosts ...string) error {
	name, _ := splitHost(r.Host)
	if isLoopback(name) || isOneOf(r.Host, hosts) {
		return nil
	}
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		if address, err := netip.ParseAddrPort(local.String()); err == nil && sameAddress(name, address.Addr()) {
			return nil
		}
	}
	return nestor.Errorf(nestor.CodeForbidden, "this server does not answer to the name %.100q: start it with --hosts to add the name", r.Host)
}

// isNear is [Gate.IsNear] as far as the request tells.
func isNear(r *http.Request) bool {
	for _, passedOn := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "Via"} {
		if r.Header.Get(passedOn) != "" {
			return false
		}
	}
	name, _ := splitHost(r.Host)
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && from.Addr().Unmap().IsLoopback() && isLoopback(name)
}

func isOneOf(host string, hosts []string) bool {
	name, port := splitHost(host)
	for _, h := range hosts {
		n, p := splitHost(h)
		if n == name && (p == "" || p == port) {
			return true
		}
	}
	return false
}

// splitHost takes a Host header apart. The case of a name does not matter, and
// neither does a dot at its end.
func splitHost(host string) (name, port string) {
	name = host
	if n, p, err := net.SplitHostPort(host); err == nil {
		name, port = n, p
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	return strings.TrimSuffix(strings.ToLower(name), "."), port
}

// IsLoopbackHost reports whether a Host header names the machine itself.
func IsLoopbackHost(host string) bool {
	name, _ := splitHost(host)
	return isLoopback(name)
}

func isLoopback(name string) bool {
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.Unmap().IsLoopback()
}

func sameAddress(name string, local netip.Addr) bool {
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.Unmap().WithZone("") == local.Unmap().WithZone("")
}
