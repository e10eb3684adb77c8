package netguard

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"github.com/nestorhq/nestor"
)

// Options for a client. The zero value is the strictest one.
type Options struct {
	// AllowPrivate lets the client connect to any address, the machine it runs
	// on included. Defaults to false: only public addresses.
	AllowPrivate bool
	// Timeout bounds a whole request, the reading of its body included.
	// Defaults to 30 seconds; a negative value means no bound, for streams.
	Timeout time.Duration
	// DialTimeout bounds name resolution and connecting. Defaults to 10 seconds.
	DialTimeout time.Duration
	// Redirects says which redirects are followed. Defaults to NoRedirects.
	Redirects Redirects
	// Permit says how a person can let the client reach a private address, such
	// as "start the server with --allow-private". A refusal ends with it.
	// Defaults to saying nothing.
	Permit string
	// Single makes each request over a connection of its own. On one that was used
	// before, Go's client sends a request that only reads, or has an idempotency
	// key, a second time if the connection is lost in the middle.
	Single bool

	// For tests: what looks names up, and what is asked after the guard has
	// agreed.
	resolver *net.Resolver
	agreed   func(address string) error
}

// Client returns a client with a connection pool of its own. [Code] tells what
// its errors mean.
func Client(o Options) *http.Client {
	timeout := o.Timeout
	switch {
	case timeout == 0:
		timeout = 30 * time.Second
	case timeout < 0:
		timeout = 0
	}
	dialTimeout := o.DialTimeout
	if dialTimeout == 0 {
		dialTimeout = 10 * time.Second
	}
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second, Resolver: o.resolver}
	if !o.AllowPrivate {
		dialer.ControlContext = o.refusePrivate
	}
	return &http.Client{
		Timeout:       timeout,
		CheckRedirect: o.Redirects.check,
		Transport: &http.Transport{
			DialContext:            dialer.DialContext,
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    10 * time.Second,
			IdleConnTimeout:        30 * time.Second,
			MaxIdleConnsPerHost:    4,
			MaxResponseHeaderBytes: 64 << 10,
			DisableKeepAlives:      o.Single,
		},
	}
}

// Code is the code of an error that a client returned: forbidden for a refused
// address, otherwise unavailable, because it is the network that failed.
func Code(err error) nestor.Code {
	if code := nestor.CodeOf(err); code != nestor.CodeInternal {
		return code
	}
	return nestor.CodeUnavailable
}

// refusePrivate runs once per connection attempt, with the address that the
// socket is about to be connected to.
func (o *Options) refusePrivate(_ context.Context, _, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if err := Check(ap.Addr()); err != nil {
		if o.Permit != "" {
			return nestor.Errorf(nestor.CodeOf(err), "%s; %s to permit it", err, o.Permit)
		}
		return err
	}
	if o.agreed != nil {
		return o.agreed(address)
	}
	return nil
}
