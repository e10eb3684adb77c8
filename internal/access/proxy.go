package access

import (
	"net/http"
	"net/netip"
	"regexp"
	"strings"

	"github.com/nestorhq/nestor"
)

// Proxies are the networks of the reverse proxies before this server. What a
// request says about where it comes from is believed only if one of them passed
// it on: anybody else could write there what they like.
type Proxies []netip.Prefix

// ParseProxies reads networks, such as 10.0.0.0/8, and single addresses.
func ParseProxies(list []string) (Proxies, error) {
	var p Proxies
	for _, text := range list {
		network, err := netip.ParsePrefix(text)
		if err != nil {
			address, failed := netip.ParseAddr(text)
			if failed != nil || address.Zone() != "" {
				return nil, nestor.Errorf(nestor.CodeInvalid, "a proxy is an address or a network, such as 10.0.0.0/8 or 127.0.0.1, not %q", text)
			}
			network = netip.PrefixFrom(address, address.BitLen())
		}
		if network.Bits() == 0 {
			return nil, nestor.Errorf(nestor.CodeInvalid, "%q trusts every address, so anybody could say where they come from: name the proxies", text)
		}
		if address := network.Addr(); address.Is4In6() && network.Bits() >= 96 {
			network = netip.PrefixFrom(address.Unmap(), network.Bits()-96)
		}
		p = append(p, network.Masked())
	}
	return p, nil
}

func (p Proxies) trust(address netip.Addr) bool {
	for _, network := range p {
		if network.Contains(address) {
			return true
		}
	}
	return false
}

// address is where a request comes from: the other end of the connection or, if
// that is a proxy, the nearest address that X-Forwarded-For names and that is no
// proxy. Each proxy adds its client on the right, so what stands further left
// was written by the client.
func (p Proxies) address(r *http.Request) string {
	peer, ok := peerOf(r)
	if !ok {
		return r.RemoteAddr
	}
	if !p.trust(peer) {
		return peer.String()
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop, ok := parseHop(hops[i])
		if !ok { // the proxy before it is the last that is known
			break
		}
		if peer = hop; !p.trust(hop) {
			break
		}
	}
	return peer.String()
}

// secure reports whether the browser speaks TLS, to us or to a proxy.
func (p Proxies) secure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	peer, ok := peerOf(r)
	if !ok || !p.trust(peer) {
		return false
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-Proto"), ","), ",")
	return strings.EqualFold(strings.TrimSpace(hops[len(hops)-1]), "https")
}

// host is the name under which the client reaches us: the one that the request names or,
// if a proxy passed it on, the one that the proxy says its client named. Each proxy adds
// its own on the right.
func (p Proxies) host(r *http.Request) string {
	peer, ok := peerOf(r)
	if !ok || !p.trust(peer) {
		return r.Host
	}
	names := strings.Split(strings.Join(r.Header.Values("X-Forwarded-Host"), ","), ",")
	if name := strings.TrimSpace(names[len(names)-1]); hostName.MatchString(name) {
		return name
	}
	return r.Host
}

var hostName = regexp.MustCompile(`^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]+)?$`)

// peerOf is the other end of a request's connection.
func peerOf(r *http.Request) (netip.Addr, bool) { return parseHop(r.RemoteAddr) }

// parseHop reads an address with or without a port.
func parseHop(text string) (netip.Addr, bool) {
	text = strings.TrimSpace(text)
	if withPort, err := netip.ParseAddrPort(text); err == nil {
		return withPort.Addr().Unmap().WithZone(""), true
	}
	address, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	return address.Unmap().WithZone(""), err == nil
}

// ClientOf is where a request comes from, behind the options' Proxies.
func (g *Gate) ClientOf(r *http.Request) Client {
	return Client{Address: g.opts.Proxies.address(r), Agent: r.UserAgent()}
}

// IsSecure reports whether the browser speaks TLS, to us or to one of the
// options' Proxies, or at the options' Public address.
func (g *Gate) IsSecure(r *http.Request) bool {
	return g.opts.Public.Secure || g.opts.Proxies.secure(r)
}

// IsNear reports whether a program on this machine sends a request: over its loopback
// interface, to a loopback name, and not passed on by a proxy. Behind a public address no
// request counts as near, since a proxy need not say that it passes one on.
func (g *Gate) IsNear(r *http.Request) bool { return !g.opts.Public.IsSet() && isNear(r) }

// BaseURL is the address of the server for the client of a request, without a slash at the
// end: the options' Public one, or the one that the client named, behind the options'
// Proxies.
func (g *Gate) BaseURL(r *http.Request) string {
	if g.opts.Public.IsSet() {
		return g.opts.Public.String()
	}
	return PublicURL{Host: g.opts.Proxies.host(r), Secure: g.opts.Proxies.secure(r)}.String()
}
