package access_test

import (
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// A clock may be wrong for a while and then be corrected. Whatever was written
// meanwhile must neither lock anybody out until the wrong time comes nor let
// anybody in until then.

func jumped(t *testing.T, run func(*testing.T, engines.Database, time.Duration)) {
	for _, jump := range []time.Duration{time.Hour, 24 * time.Hour} {
		t.Run(jump.String(), func(t *testing.T) {
			engines.Each(t, func(t *testing.T, open engines.Database) { run(t, open, jump) })
		})
	}
}

func TestAClockThatRanAheadLocksNobodyOut(t *testing.T) {
	t.Parallel()
	jumped(t, func(t *testing.T, open engines.Database, jump time.Duration) {
		h := newHouse(t, open)
		g := h.gate()
		h.addUser(g, access.NewUser{ID: "ada"})
		before := h.login(g, "ada")
		h.pass(jump)
		for i := range 6 {
			h.refused("a failure", h.guess(g, "ada", home), nestor.CodeUnauthenticated)
			if i == 5 {
				h.refused("one more", h.guess(g, "ada", home), nestor.CodeRateLimited)
			}
		}
		h.pass(2 * time.Second)
		ahead := h.login(g, "ada")
		for i := range 7 {
			h.guess(g, "ada", address(50+i)) // so that it is locked when the clock is corrected
		}
		h.pass(-jump - 2*time.Second)
		h.login(g, "ada")         // the same process
		h.login(h.gate(), "ada")  // another, or after a restart
		h.refresh(g, before)      // a session of before
		t1 := h.refresh(g, ahead) // and one that began in the future
		if _, err := h.authenticate(g, t1.Access); err != nil {
			t.Error(err)
		}
		h.pass(15 * time.Minute)
		_, err := h.authenticate(g, t1.Access)
		h.refused("its access token after 15 minutes", err, nestor.CodeUnauthenticated)
	})
}

func TestAClockThatRanAheadLetsNobodyInForLonger(t *testing.T) {
	t.Parallel()
	jumped(t, func(t *testing.T, open engines.Database, jump time.Duration) {
		h := newHouse(t, open)
		g := h.gate()
		h.addUser(g, access.NewUser{ID: "ada"})
		first := h.login(g, "ada")
		h.pass(jump)
		grant := h.key.MintToken(access.Grant{User: "ada", Path: "users/ada/notes/n", Expires: h.time().Add(access.GrantTime).Unix()})
		second := h.refresh(g, first)
		h.pass(-jump)
		_, err := h.authenticate(g, grant)
		h.refused("a token of a webhook from the future", err, nestor.CodeUnauthenticated)
		_, err = h.authenticate(g, second.Access)
		h.refused("an access token from the future", err, nestor.CodeUnauthenticated)
		third := h.refresh(g, second) // as its browser does then
		if _, err := h.authenticate(g, third.Access); err != nil {
			t.Error(err)
		}
		_, err = g.Refresh(t.Context(), first.Refresh)
		h.refused("a refresh token that was traded in the future", err, nestor.CodeUnauthenticated)
	})
}

func TestAfterAClockWasSetBackALimiterCountsAgain(t *testing.T) {
	c := newClock()
	l := access.NewLimiter(access.LimiterOptions{PerSecond: 1, Burst: 1, Now: c.time})
	if err := l.Allow("a"); err != nil {
		t.Fatal(err)
	}
	c.pass(-24 * time.Hour)
	if l.Allow("a") == nil {
		t.Error("a clock that was set back gave something")
	}
	c.pass(time.Second)
	if err := l.Allow("a"); err != nil {
		t.Errorf("a second later: %v", err)
	}
}
