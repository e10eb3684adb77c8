package access_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestAUserLogsInByIDNameOrEmail(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		h := newHouse(t, open)
		g := h.gate()
		h.addUser(g, access.NewUser{ID: "ada", Name: "Ada L.", Email: "ada@example.com", Admin: true})
		for _, login := range []string{"ada", "Ada L.", "ada l.", "ADA@example.com", " ada "} {
			tokens := h.login(g, login)
			c, err := h.authenticate(g, tokens.Access)
			if err != nil || c.UserID != "ada" || !c.Admin || c.Kind != access.InSession || c.ID != tokens.SessionID {
				t.Errorf("%q: %+v, %v", login, c, err)
			}
		}
	})
}

func TestAWrongLoginTellsNothing(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		h := newHouse(t, open)
		counted := &slow{Documents: h.store}
		g := h.gate(func(o *access.Options) { o.Store = counted })
		for _, id := range []string{"ada", "gone"} {
			h.addUser(g, access.NewUser{ID: id})
		}
		if err := g.SetDisabled(t.Context(), onUser("gone"), true); err != nil {
			t.Fatal(err)
		}
		hashes, texts := 0, map[string]bool{}
		g.OnHash(func() { hashes++ })
		for name, c := range map[string]struct{ login, pass string }{
			"a wrong password":                  {"ada", "wrong horse battery"},
			"a password of no length":           {"ada", ""},
			"a password too long":               {"ada", strings.Repeat("x", 1<<20)},
			"an unknown user":                   {"nobody", pass},
			"no user":                           {"", pass},
			"a disabled user":                   {"gone", pass},
			"a disabled user, wrongly":          {"gone", "wrong horse battery"},
			"a name that is too long to be one": {strings.Repeat("x", 1<<20), pass},
		} {
			hashes, counted.updates = 0, 0
			_, err := g.Login(t.Context(), c.login, c.pass, home)
			h.refused(name, err, nestor.CodeUnauthenticated)
			if hashes != 1 || counted.updates != 1 {
				t.Errorf("%s costs %d hashes and %d transactions", name, hashes, counted.updates)
			}
			texts[err.Error()] = true
		}
		if len(texts) != 1 {
			t.Errorf("there are different answers: %v", texts)
		}
	})
}

func TestAHashIsRenewedWhenItsCostHasChanged(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		h := newHouse(t, open)
		h.addUser(h.gate(), access.NewUser{ID: "ada"})
		g := h.gate(func(o *access.Options) { o.HashCost.Time = 2 })
		hashes := 0
		g.OnHash(func() { hashes++ })
		h.login(g, "ada")
		if !strings.Contains(h.written(), "$m=8,t=2,p=1$") || hashes != 2 {
			t.Errorf("it was not renewed, with %d hashes", hashes)
		}
		hashes = 0
		if h.login(g, "ada"); hashes != 1 {
			t.Errorf("the next login costs %d hashes", hashes)
		}
	})
}

// guess fails to log in.
func (h *house) guess(g *access.Gate, login string, from access.Client) error {
	h.Helper()
	_, err := g.Login(h.Context(), login, "wrong horse battery", from)
	if err == nil {
		h.Fatal("a wrong password is accepted")
	}
	return err
}

func address(i int) access.Client { return access.Client{Address: fmt.Sprintf("198.51.100.%d", i)} }

func TestFailedLoginsOfAnAccountWaitLongerAndLonger(t *testing.T) {
	t.Parallel()
	withAda(t, func(t *testing.T, h *house, g *access.Gate) {
		for i, login := range []string{"nobody", "ada"} {
			from := address(i)
			for range 6 {
				h.refused("a free attempt", h.guess(g, login, from), nestor.CodeUnauthenticated)
			}
			for _, wait := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
				err := h.guess(g, login, from)
				h.refused("too early", err, nestor.CodeRateLimited)
				if got, _ := nestor.WaitOf(err); got != wait {
					t.Errorf("%s waits %v, want %v", login, got, wait)
				}
				h.pass(wait - time.Millisecond)
				h.refused("still too early", h.guess(g, login, from), nestor.CodeRateLimited)
				h.pass(time.Millisecond)
				h.refused("in time", h.guess(g, login, from), nestor.CodeUnauthenticated)
			}
		}
		_, err := g.Login(t.Context(), "ada", pass, address(1))
		h.refused("the right password while it is locked", err, nestor.CodeRateLimited)
		h.pass(8 * time.Second)
		if _, err := g.Login(t.Context(), "ada", pass, address(1)); err != nil {
			t.Fatal(err)
		}
		for range 6 {
			h.refused("a failure after a success", h.guess(g, "ada", address(1)), nestor.CodeUnauthenticated)
		}
	})
}

func TestNobodyLocksOutAUserWhoComesFromElsewhere(t *testing.T) {
	t.Parallel()
	withAda(t, func(t *testing.T, h *house, g *access.Gate) {
		for range 150 { // more than an account may have from everywhere, for days
			h.guess(g, "ada", address(1))
			h.pass(15 * time.Minute)
		}
		h.guess(g, "ada", address(1))
		_, err := g.Login(t.Context(), "ada", pass, address(1))
		h.refused("from there", err, nestor.CodeRateLimited)
		for name, at := range map[string]*access.Gate{"this node": g, "another": h.gate()} {
			if _, err := at.Login(t.Context(), "ada", pass, address(2)); err != nil {
				t.Errorf("from elsewhere, on %s: %v", name, err)
			}
		}
	})
}

func TestGuessesFromManyAddressesDoNotLockOutWhoIsKnownAtTheirs(t *testing.T) {
	t.Parallel()
	withAda(t, func(t *testing.T, h *house, g *access.Gate) {
		h.login(g, "ada")
		for i := range 101 {
			for _, login := range []string{"ada", "nobody"} {
				h.refused("an attempt", h.guess(g, login, address(i)), nestor.CodeUnauthenticated)
			}
		}
		for name, at := range map[string]*access.Gate{"this node": g, "another": h.gate()} {
			hashes := 0
			at.OnHash(func() { hashes++ })
			_, err := at.Login(t.Context(), "ada", pass, address(200))
			h.refused("the right password from an unknown address, on "+name, err, nestor.CodeRateLimited)
			// Neither answer nor time tell whether an account knows an address.
			h.refused("a wrong one from the known address, on "+name, h.guess(at, "ada", home), nestor.CodeRateLimited)
			if hashes != 2 {
				t.Errorf("two refusals cost %d hashes", hashes)
			}
			h.login(at, "ada")
		}
		h.refused("a name that nobody has", h.guess(g, "nobody", address(200)), nestor.CodeRateLimited)
		h.pass(time.Second)
		if _, err := g.Login(t.Context(), "ada", pass, address(200)); err != nil {
			t.Errorf("after the wait: %v", err)
		}
	})
}

func TestGuessesAtOthersDoNotLockOutWhoIsKnownAtTheAddress(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		h := newHouse(t, open)
		g := h.gate()
		for _, id := range []string{"ada", "bob"} {
			h.addUser(g, access.NewUser{ID: id})
		}
		h.login(g, "ada")
		for i := range 21 {
			h.guess(g, fmt.Sprint("user", i), home)
		}
		_, err := g.Login(t.Context(), "bob", pass, home)
		h.refused("who never came from there", err, nestor.CodeRateLimited)
		h.login(g, "ada")
	})
}

func TestTheWaitHasAnEnd(t *testing.T) {
	t.Parallel()
	h := newHouse(t, engines.SQLite(t))
	g := h.gate()
	for i := range 40 {
		err := h.guess(g, "nobody", access.Client{Address: fmt.Sprint("10.0.0.", i)})
		if wait, _ := nestor.WaitOf(err); wait > 15*time.Minute {
			t.Fatalf("it waits %v", wait)
		}
		h.pass(15 * time.Minute)
	}
	h.pass(24 * time.Hour)
	for range 6 {
		h.refused("a day later", h.guess(g, "nobody", home), nestor.CodeUnauthenticated)
	}
}

func TestFailedLoginsCountOnAllNodesAndAfterARestart(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		h := newHouse(t, open)
		h.addUser(h.gate(), access.NewUser{ID: "ada"})
		for range 6 {
			h.refused("an attempt", h.guess(h.gate(), "ada", home), nestor.CodeUnauthenticated)
		}
		g := h.gate()
		_, err := g.Login(t.Context(), "ada", pass, home)
		h.refused("another node", err, nestor.CodeRateLimited)
		h.pass(time.Second)
		h.login(g, "ada")
		h.refused("after a success", h.guess(h.gate(), "ada", home), nestor.CodeUnauthenticated)
	})
}

func TestFailedLoginsOfAnAddressLockIt(t *testing.T) {
	t.Parallel()
	h := newHouse(t, engines.SQLite(t))
	g := h.gate()
	h.addUser(g, access.NewUser{ID: "ada"})
	network := func(i int) access.Client { return access.Client{Address: fmt.Sprintf("2001:db8:1:2::%x", i)} }
	for i := range 21 {
		h.refused("an attempt", h.guess(g, fmt.Sprint("user", i), network(i)), nestor.CodeUnauthenticated)
		h.login(g, "ada") // from home: that does not help
	}
	h.refused("another address of the network", h.guess(g, "ada", network(99)), nestor.CodeRateLimited)
	if _, err := g.Login(t.Context(), "ada", pass, access.Client{Address: "2001:db8:1:3::1"}); err != nil {
		t.Errorf("another network: %v", err)
	}
	if _, err := g.Login(t.Context(), "ada", pass, access.Client{Address: "not an address"}); err != nil {
		t.Errorf("an address that is none: %v", err)
	}
}

func TestAGoodLoginDoesNotPayForGuesses(t *testing.T) {
	t.Parallel()
	h := newHouse(t, engines.SQLite(t))
	g := h.gate()
	h.addUser(g, access.NewUser{ID: "eve"})
	for i := range 21 {
		h.guess(g, fmt.Sprint("user", i), home)
		if _, err := g.Login(t.Context(), "eve", pass, home); err != nil && nestor.CodeOf(err) != nestor.CodeRateLimited {
			t.Fatal(err)
		}
	}
	h.refused("guesses between logins of one's own", h.guess(g, "ada", home), nestor.CodeRateLimited)
}

func TestManyAttemptsAtOnceDoNotSlipThrough(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		attempts int
		from     func(int) access.Client
		want     int64
	}{
		"from one address":    {40, func(int) access.Client { return home }, 6},
		"from many addresses": {140, address, 101},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, engines.SQLite(t))
			g := h.gate()
			h.addUser(g, access.NewUser{ID: "ada"})
			var tried atomic.Int64
			var wg sync.WaitGroup
			for i := range c.attempts {
				wg.Go(func() {
					_, err := g.Login(t.Context(), "ada", "wrong horse battery", c.from(i))
					if nestor.CodeOf(err) == nestor.CodeUnauthenticated {
						tried.Add(1)
					}
				})
			}
			wg.Wait()
			if n := tried.Load(); n != c.want {
				t.Errorf("%d passwords were tried at once, want %d", n, c.want)
			}
		})
	}
}

func TestALoginThatANewPasswordOvertakesStartsNoSession(t *testing.T) {
	t.Parallel()
	withAda(t, func(t *testing.T, h *house, g *access.Gate) {
		elsewhere := h.gate()
		g.OnHash(func() {
			if err := elsewhere.SetPassword(t.Context(), onUser("ada"), "another password"); err != nil {
				t.Error(err)
			}
		})
		_, err := g.Login(t.Context(), "ada", pass, home)
		h.refused("the old password", err, nestor.CodeConflict)
		if list := h.sessions("ada"); len(list) != 0 {
			t.Errorf("sessions %+v", list)
		}
	})
}
