package access_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestGuessesAtTheTokenAreSlowedDownAndLogged(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		h := newHouse(t, open)
		var log strings.Builder
		g := h.gate(func(o *access.Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
		_, key := h.createKey(g, access.Local, access.APIKey{Name: "k", Scopes: []string{"read"}})
		try := func(token, address string) error {
			r := request("GET", "Authorization", "Bearer "+token)
			r.RemoteAddr = address + ":5000"
			_, err := g.Authenticate(t.Context(), r)
			return err
		}
		signIn := func(token, address string) error {
			_, err := g.LoginToken(t.Context(), token, access.Client{Address: address})
			return err
		}
		const attacker, other = "198.51.100.1", "198.51.100.2"
		for i := range 21 {
			if i%2 == 0 { // both doors count together
				h.refused("a free guess", try(fmt.Sprint("guess-", i), attacker), nestor.CodeUnauthenticated)
			} else {
				h.refused("a free guess", signIn(fmt.Sprint("guess-", i), attacker), nestor.CodeUnauthenticated)
			}
		}
		for name, err := range map[string]error{
			"another guess": try("guess", attacker), "the right token": try("the-local-token", attacker), "the right token to sign in": signIn("the-local-token", attacker),
		} {
			h.refused(name, err, nestor.CodeRateLimited)
		}
		for name, err := range map[string]error{
			"the right token from elsewhere": try("the-local-token", other),
			"to sign in from elsewhere":      signIn("the-local-token", other),
			"a key, which nobody guesses":    try(key, attacker),
			"the right token a thousand times": func() (err error) {
				for range 1000 {
					err = try("the-local-token", other)
				}
				return err
			}(),
			"somebody else after a revoked key's": func() error {
				for range 50 {
					_ = try("nst_k_00000000000000000000AAAAAAAAAAAAAAAAAAAAAAAAAA", other)
				}
				return try("the-local-token", other)
			}(),
		} {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		h.pass(time.Second)
		if err := try("the-local-token", attacker); err != nil {
			t.Errorf("after the wait: %v", err)
		}
		h.refused("the next guess", try("guess", attacker), nestor.CodeUnauthenticated)
		if wait, _ := nestor.WaitOf(try("guess", attacker)); wait != 2*time.Second {
			t.Errorf("the next wait is %v", wait)
		}
		if text := log.String(); !strings.Contains(text, attacker) || strings.Contains(text, "guess-") || strings.Contains(text, "the-local-token") || strings.Contains(text, other) {
			t.Errorf("logged %s", text)
		}
	})
}

func TestTheTokenSignsABrowserIn(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		h := newHouse(t, open)
		g := h.gate()
		tokens, err := g.LoginToken(t.Context(), "the-local-token", home)
		if err != nil {
			t.Fatal(err)
		}
		if c, err := h.authenticate(g, tokens.Access); err != nil || c.UserID != access.Local || !c.Admin || c.Kind != access.InSession {
			t.Errorf("%+v, %v", c, err)
		}
		for _, wrong := range []string{"", "the-local-toke", "the-local-token "} {
			_, err := g.LoginToken(t.Context(), wrong, home)
			h.refused(wrong, err, nestor.CodeUnauthenticated)
		}
		without := h.gate(func(o *access.Options) { o.Token = "" })
		_, err = without.LoginToken(t.Context(), "", home)
		h.refused("where there is none", err, nestor.CodeUnauthenticated)
	})
}
