package connection

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/netguard"
	"github.com/nestorhq/nestor/internal/store"
)

// A base URL is an address that the server calls and whose answer it shows. So
// only administrators choose one inside the server's own network. Others are
// held to public addresses twice: a URL that names a private one is not saved,
// and no connection is made to one, whatever address a name has by then.

// confined reports whether the connections of a user are held to public
// addresses.
func (s *Connections) confined(r store.Reader, userID string) (bool, error) {
	if s.opts.AllowPrivate {
		return false, nil
	}
	admin, err := access.IsAdmin(r, userID)
	return !admin, err
}

// checkPublic refuses a base URL that names a private address itself. Names are
// not looked up: they could lead elsewhere by the time of a call.
func checkPublic(baseURL string) error {
	u, err := url.Parse(baseURL)
	if err != nil {
		return err
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return private("it is a loopback name")
	}
	if ip, err := netip.ParseAddr(host); err == nil && netguard.Check(ip) != nil {
		return private("it is not an address of the public internet")
	}
	return nil
}

func private(why string) error {
	return nestor.Errorf(nestor.CodeForbidden,
		"baseUrl must not lead into the server's own network: %s. An administrator may have such a connection, and the server can be started with --allow-private", why).
		With("field", "baseUrl")
}

// public is a client for the base URLs of users who are confined.
func public() *http.Client {
	c := netguard.Client(netguard.Options{Timeout: -1})
	ForMany(c.Transport.(*http.Transport))
	return c
}

// publicOnly says plainly that a call was refused because of its address, which
// is no reason to try again.
type publicOnly struct{ llm.Model }

func (m publicOnly) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		for e, err := range m.Model.Generate(ctx, req) {
			if errors.Is(err, nestor.ErrForbidden) {
				err = private("its name leads to a private address")
			}
			if !yield(e, err) {
				return
			}
		}
	}
}
