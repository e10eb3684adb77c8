package netguard

import (
	"net/netip"

	"github.com/nestorhq/nestor"
)

// Check returns an error of code forbidden unless addr is an address of the
// public internet.
func Check(addr netip.Addr) error {
	if addr.Is4In6() {
		// Go dials such an address as IPv4, and nobody has a good reason to write
		// one.
		return refuse(addr, "an IPv4-mapped")
	}
	addr = addr.WithZone("")
	for _, r := range refused {
		if r.prefix.Contains(addr) {
			return refuse(addr, r.kind)
		}
	}
	if addr.Is6() && !globalUnicast.Contains(addr) {
		return refuse(addr, "a reserved")
	}
	return nil
}

// globalUnicast is the only part of IPv6 from which public addresses are given
// out. Forms that hide an IPv4 address, and forms yet to be invented, lie
// outside.
var globalUnicast = netip.MustParsePrefix("2000::/3")

func refuse(addr netip.Addr, kind string) error {
	return nestor.Errorf(nestor.CodeForbidden, "refusing to connect to %s: it is %s address", addr, kind)
}

// refused lists what is not the public internet, most telling kind first. It
// follows the special-purpose registries of RFC 6890, and adds the IPv6 forms
// that carry an IPv4 address to be reached through a translator.
var refused = []struct {
	prefix netip.Prefix
	kind   string
}{
	{netip.MustParsePrefix("127.0.0.0/8"), "a loopback"},
	{netip.MustParsePrefix("::1/128"), "a loopback"},
	{netip.MustParsePrefix("10.0.0.0/8"), "a private"},
	{netip.MustParsePrefix("172.16.0.0/12"), "a private"},
	{netip.MustParsePrefix("192.168.0.0/16"), "a private"},
	{netip.MustParsePrefix("fc00::/7"), "a private"},
	{netip.MustParsePrefix("fec0::/10"), "a private"},
	{netip.MustParsePrefix("169.254.0.0/16"), "a link-local"},
	{netip.MustParsePrefix("fe80::/10"), "a link-local"},
	{netip.MustParsePrefix("100.64.0.0/10"), "a carrier-grade NAT"},
	{netip.MustParsePrefix("224.0.0.0/4"), "a multicast"},
	{netip.MustParsePrefix("ff00::/8"), "a multicast"},
	{netip.MustParsePrefix("0.0.0.0/8"), "an unspecified"},
	{netip.MustParsePrefix("::/128"), "an unspecified"},
	{netip.MustParsePrefix("64:ff9b::/96"), "a NAT64"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "a NAT64"},
	{netip.MustParsePrefix("::/96"), "an IPv4-compatible"},
	{netip.MustParsePrefix("2002::/16"), "a 6to4"},
	{netip.MustParsePrefix("2001::/32"), "a Teredo"},
	{netip.MustParsePrefix("192.0.0.0/24"), "a reserved"},
	{netip.MustParsePrefix("192.0.2.0/24"), "a reserved"},
	{netip.MustParsePrefix("192.88.99.0/24"), "a 6to4"},
	{netip.MustParsePrefix("198.18.0.0/15"), "a reserved"},
	{netip.MustParsePrefix("198.51.100.0/24"), "a reserved"},
	{netip.MustParsePrefix("203.0.113.0/24"), "a reserved"},
	{netip.MustParsePrefix("240.0.0.0/4"), "a reserved"},
	{netip.MustParsePrefix("2001::/23"), "a reserved"},
	{netip.MustParsePrefix("2001:db8::/32"), "a reserved"},
	{netip.MustParsePrefix("3fff::/20"), "a reserved"},
}
