package app

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"os"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
)

// loadRules compiles the access rules that cfg names.
func loadRules(cfg Config, mods module.List, key *access.Key) (*rules.Engine, error) {
	catalogue, err := mods.Catalogue()
	if err != nil {
		return nil, err
	}
	opts := rules.Options{Members: account.Members{}, Key: key, Catalogue: catalogue, Modules: mods.Rules()}
	if cfg.Rules != "" {
		text, err := os.ReadFile(cfg.Rules)
		if err != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "the rules file cannot be read: %w", err)
		}
		opts.Name, opts.File = cfg.Rules, text
	}
	return rules.New(opts)
}

// PrintRules prints the built-in access rules, which a file of the user's own
// can begin with.
func PrintRules(cfg Config) error {
	cfg = cfg.withDefaults()
	text, err := rules.Standard(described(cfg).Rules())
	if err != nil {
		return err
	}
	_, err = cfg.Stdout.Write(text)
	return err
}

// isLocal reports whether only this machine can reach the server.
func isLocal(cfg Config) (bool, error) {
	if cfg.Unlisted {
		return false, nil // only the program around the server knows
	}
	host, _, err := net.SplitHostPort(cfg.Addr)
	if err != nil {
		return false, nestor.Errorf(nestor.CodeInvalid, "--addr is host:port, such as 127.0.0.1:8787, not %q", cfg.Addr)
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback(), nil
}

// checkUsers refuses to serve a network if nobody can show who they are.
func checkUsers(ctx context.Context, cfg Config, gate *access.Gate) error {
	if gate.HasToken() {
		return nil
	}
	for cursor := ""; ; {
		users, next, err := gate.Users(ctx, store.MaxLimit, cursor)
		if err != nil {
			return err
		}
		for _, u := range users {
			if u.ID != access.Local && !u.Disabled { // the local user has no password
				return nil
			}
		}
		if cursor = next; cursor == "" {
			return nestor.Errorf(nestor.CodeInvalid, "listening on %s lets the network in, and nobody can log in yet: "+
				"add a user with `nestor users add`, or set NESTOR_TOKEN to a secret of at least %d characters, made with: openssl rand -hex 24", cfg.Addr, minToken)
		}
	}
}

// greet tells the person who started the server how to get in.
func greet(ctx context.Context, cfg Config, gate *access.Gate, local bool, url string) error {
	fmt.Fprintf(cfg.Stdout, "Nestor is serving %s\n", url)
	if !local {
		return nil
	}
	at := cmp.Or(cfg.PublicURL, url)
	link, err := newLink(ctx, gate, at)
	if err != nil {
		return err
	}
	fmt.Fprintf(cfg.Stdout, "Open:  %s\n       %s `nestor link` prints another.\n", link, aboutLinks)
	if !gate.HasToken() {
		fmt.Fprintln(cfg.Stdout, "For scripts set NESTOR_TOKEN to a secret before you start it, or make an API key.")
		return nil
	}
	fmt.Fprintf(cfg.Stdout, "Try:   curl -H \"Authorization: Bearer $NESTOR_TOKEN\" %s/api/v1/jobs\n", at)
	return nil
}
