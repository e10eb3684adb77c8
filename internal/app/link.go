package app

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store"
)

// Link prints a link that signs one browser in to a running server, as the
// person who runs it. The server is not asked: whoever can write the database
// can have a link, and nobody else. The server is the one at base, or else the
// one that runs on the data folder.
func Link(ctx context.Context, cfg Config, base string) error {
	cfg = cfg.withDefaults()
	base, err := linkBase(cfg, base)
	if err != nil {
		return err
	}
	return withGate(ctx, cfg, refuse, func(cfg Config, gate *access.Gate, _ store.Store) error {
		link, err := newLink(ctx, gate, base)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(cfg.Stdout, "%s\n%s\n", link, aboutLinks)
		return err
	})
}

const aboutLinks = "The link works once, for one browser, within an hour."

func newLink(ctx context.Context, gate *access.Gate, base string) (string, error) {
	token, err := gate.NewLink(ctx)
	return base + "/?token=" + token, err
}

func linkBase(cfg Config, base string) (string, error) {
	var at string
	if base == "" || cfg.DB == "" { // an embedded database is that of a server on this machine
		s, err := findServing(cfg)
		if err != nil {
			return "", err
		}
		if s.Postgres != (cfg.DB != "") {
			return "", nestor.Errorf(nestor.CodeInvalid, "the server at %s uses another database: give --db or NESTOR_DB as it was given there", s.URL)
		}
		at = s.URL
	}
	if base != "" {
		u, err := url.Parse(base)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return "", nestor.Errorf(nestor.CodeInvalid, "--url is the address of a server, such as http://127.0.0.1:8787, not %q", base)
		}
		return strings.TrimSuffix(u.Scheme+"://"+u.Host+u.Path, "/"), nil
	}
	return at, nil
}
