package access_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func (h *house) refresh(g *access.Gate, tokens access.Tokens) access.Tokens {
	h.Helper()
	next, err := g.Refresh(h.Context(), tokens.Refresh)
	if err != nil {
		h.Fatal(err)
	}
	return next
}

func TestASessionGoesOnByRefreshing(t *testing.T) {
	t.Parallel()
	withAda(t, func(t *testing.T, h *house, g *access.Gate) {
		first := h.login(g, "ada")
		h.pass(15*time.Minute - time.Millisecond)
		if _, err := h.authenticate(g, first.Access); err != nil {
			t.Fatal(err)
		}
		h.pass(time.Millisecond)
		_, err := h.authenticate(g, first.Access)
		h.refused("an access token after 15 minutes", err, nestor.CodeUnauthenticated)

		h.pass(29 * 24 * time.Hour)
		second := h.refresh(h.gate(), first) // another node, or the same after a restart
		if second.SessionID != first.SessionID || second.UserID != "ada" || second.Access == first.Access || second.Refresh == first.Refresh {
			t.Errorf("refreshed to %+v", second)
		}
		h.pass(time.Second)
		if _, err := h.authenticate(g, second.Access); err != nil {
			t.Error(err)
		}
		_, err = h.authenticate(g, first.Access)
		h.refused("the access token before", err, nestor.CodeUnauthenticated)

		h.pass(30 * 24 * time.Hour)
		_, err = g.Refresh(t.Context(), second.Refresh)
		h.refused("a refresh token after 30 days", err, nestor.CodeUnauthenticated)
	})
}

func TestAStolenRefreshTokenEndsTheSession(t *testing.T) {
	t.Parallel()
	withAda(t, func(t *testing.T, h *house, g *access.Gate) {
		other := h.login(g, "ada")
		first := h.login(g, "ada")
		second := h.refresh(g, first)
		third := h.refresh(g, second)
		if _, err := h.authenticate(g, third.Access); err != nil {
			t.Fatal(err)
		}
		_, err := g.Refresh(t.Context(), first.Refresh)
		h.refused("the first refresh token again", err, nestor.CodeUnauthenticated)
		_, err = h.authenticate(g, third.Access)
		h.refused("the session", err, nestor.CodeUnauthenticated)
		_, err = g.Refresh(t.Context(), third.Refresh)
		h.refused("its newest refresh token", err, nestor.CodeUnauthenticated)
		if _, err := h.authenticate(g, other.Access); err != nil {
			t.Errorf("another session of the user: %v", err)
		}
	})
}

func TestARefreshTokenIsAnsweredTwiceWithinAMoment(t *testing.T) {
	t.Parallel()
	withAda(t, func(t *testing.T, h *house, g *access.Gate) {
		elsewhere := h.gate()
		first := h.login(g, "ada")
		second := h.refresh(g, first)
		h.pass(19 * time.Second)
		again := h.refresh(elsewhere, first)
		if again.Access != second.Access || again.Refresh != second.Refresh || again.AccessExpires.UnixMilli() != second.AccessExpires.UnixMilli() {
			t.Error("it gets other tokens")
		}
		if _, err := h.authenticate(g, again.Access); err != nil {
			t.Errorf("the session: %v", err)
		}
		h.pass(time.Second)
		_, err := g.Refresh(t.Context(), first.Refresh)
		h.refused("a replay after that moment", err, nestor.CodeUnauthenticated)
		_, err = h.authenticate(g, second.Access)
		h.refused("the session", err, nestor.CodeUnauthenticated)
		_, err = g.Refresh(t.Context(), second.Refresh)
		h.refused("its newest refresh token", err, nestor.CodeUnauthenticated)
	})
}

func TestManyRefreshesAtOnceEndInTheSameTokens(t *testing.T) {
	t.Parallel()
	withAda(t, func(t *testing.T, h *house, g *access.Gate) {
		first := h.login(g, "ada")
		got := make([]access.Tokens, 8)
		var wg sync.WaitGroup
		for i := range got {
			wg.Go(func() {
				var err error
				if got[i], err = g.Refresh(t.Context(), first.Refresh); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for _, tokens := range got {
			if tokens.Refresh != got[0].Refresh || tokens.Access != got[0].Access {
				t.Error("they differ")
			}
		}
		h.refresh(g, got[0])
	})
}

func TestASessionIsEndedByItsRefreshToken(t *testing.T) {
	t.Parallel()
	withAda(t, func(t *testing.T, h *house, g *access.Gate) {
		tokens, other := h.login(g, "ada"), h.login(g, "ada")
		h.pass(16 * time.Minute) // the access token is over
		for _, madeUp := range []string{"", "nst_r_" + tokens.SessionID + strings.Repeat("A", 52)} {
			if err := g.EndRefreshable(t.Context(), madeUp); err != nil {
				t.Error(err)
			}
		}
		if n := len(h.sessions("ada")); n != 2 {
			t.Errorf("a made-up token leaves %d sessions", n)
		}
		if err := g.EndRefreshable(t.Context(), tokens.Refresh); err != nil {
			t.Fatal(err)
		}
		_, err := g.Refresh(t.Context(), tokens.Refresh)
		h.refused("the session", err, nestor.CodeUnauthenticated)
		h.refresh(g, other)
	})
}

func TestAMadeUpRefreshTokenEndsNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t, engines.SQLite(t))
	g := h.gate()
	h.addUser(g, access.NewUser{ID: "ada"})
	tokens := h.login(g, "ada")
	for name, token := range map[string]string{
		"none":                         "",
		"the id and nothing we issued": "nst_r_" + tokens.SessionID + strings.Repeat("A", 52),
		"the access token":             tokens.Access,
		"one cut short":                tokens.Refresh[:len(tokens.Refresh)-1],
		"one of another form":          strings.Replace(tokens.Refresh, "nst_r_", "nst_r_/", 1),
		"an unknown session's":         "nst_r_" + nestor.NewID() + strings.Repeat("A", 52),
	} {
		_, err := g.Refresh(t.Context(), token)
		h.refused(name, err, nestor.CodeUnauthenticated)
	}
	if _, err := h.authenticate(g, tokens.Refresh); err == nil {
		t.Error("a refresh token is good for requests")
	}
	if _, err := h.authenticate(g, tokens.Access); err != nil {
		t.Errorf("the session: %v", err)
	}
	h.refresh(g, tokens)
}

func TestSessionsAreListedAndEnded(t *testing.T) {
	t.Parallel()
	withAda(t, func(t *testing.T, h *house, g *access.Gate) {
		elsewhere := h.gate()
		first, err := g.Login(t.Context(), "ada", pass, access.Client{Address: "192.0.2.7", Agent: "Fire\x00fox\xff " + strings.Repeat("x", 400)})
		if err != nil {
			t.Fatal(err)
		}
		second := h.login(g, "ada")
		list := h.sessions("ada")
		if len(list) != 2 || list[0].ID != first.SessionID || list[0].Address != "192.0.2.7" || !strings.HasPrefix(list[0].Agent, "Firefox x") {
			t.Errorf("listed %+v", list)
		}
		for _, node := range []*access.Gate{g, elsewhere} {
			if _, err := h.authenticate(node, first.Access); err != nil {
				t.Fatal(err)
			}
		}
		h.refused("another's session", g.EndSession(t.Context(), onSession("bob", first.SessionID)), nestor.CodeNotFound)
		if err := g.EndSession(t.Context(), onSession("ada", first.SessionID)); err != nil {
			t.Fatal(err)
		}
		_, err = h.authenticate(g, first.Access)
		h.refused("on this node", err, nestor.CodeUnauthenticated)
		h.pass(time.Second)
		_, err = h.authenticate(elsewhere, first.Access)
		h.refused("on another node after a second", err, nestor.CodeUnauthenticated)
		if _, err := h.authenticate(g, second.Access); err != nil {
			t.Errorf("the other session: %v", err)
		}
	})
}

func TestWhatIsNotListedDoesNotWork(t *testing.T) {
	t.Parallel()
	withAda(t, func(t *testing.T, h *house, g *access.Gate) {
		remove := func(p nestor.Path) {
			t.Helper()
			if err := h.store.Update(t.Context(), func(tx store.Tx) error { return tx.Delete(p, store.AnyVersion) }); err != nil {
				t.Fatal(err)
			}
		}
		unlisted, other := h.login(g, "ada"), h.login(g, "ada")
		k, key := h.createKey(g, "ada", access.APIKey{Name: "k", Scopes: []string{"read"}})
		_, kept := h.createKey(g, "ada", access.APIKey{Name: "k", Scopes: []string{"read"}})
		remove(nestor.Path("users/ada/sessions/" + unlisted.SessionID))
		remove(nestor.Path("users/ada/keys/" + k.ID))
		_, err := h.authenticate(g, unlisted.Access)
		h.refused("a session", err, nestor.CodeUnauthenticated)
		_, err = g.Refresh(t.Context(), unlisted.Refresh)
		h.refused("its refresh token", err, nestor.CodeUnauthenticated)
		_, err = h.authenticate(g, key)
		h.refused("a key", err, nestor.CodeUnauthenticated)
		for name, token := range map[string]string{"session": other.Access, "key": kept} {
			if _, err := h.authenticate(g, token); err != nil {
				t.Errorf("another %s: %v", name, err)
			}
		}
		remove("users/ada")
		h.pass(time.Second)
		for name, token := range map[string]string{"session": other.Access, "key": kept} {
			_, err := h.authenticate(g, token)
			h.refused("the "+name+" of a user who was deleted", err, nestor.CodeUnauthenticated)
		}
		_, err = g.Refresh(t.Context(), other.Refresh)
		h.refused("the refresh token", err, nestor.CodeUnauthenticated)
	})
}

func TestAUserHasAHundredSessionsAtMost(t *testing.T) {
	t.Parallel()
	h := newHouse(t, engines.SQLite(t))
	g := h.gate()
	h.addUser(g, access.NewUser{ID: "ada"})
	first, second := h.login(g, "ada"), h.login(g, "ada")
	h.fill("users/ada/sessions", 98)
	if _, err := h.authenticate(g, first.Access); err != nil {
		t.Errorf("with a hundred sessions: %v", err)
	}
	h.login(g, "ada")
	h.pass(time.Second)
	if n := len(h.sessions("ada")); n != 100 {
		t.Errorf("%d sessions", n)
	}
	_, err := h.authenticate(g, first.Access)
	h.refused("the oldest", err, nestor.CodeUnauthenticated)
	if _, err := h.authenticate(g, second.Access); err != nil {
		t.Errorf("the second oldest: %v", err)
	}
}

func TestWhatHasExpiredIsSweptAway(t *testing.T) {
	t.Parallel()
	withAda(t, func(t *testing.T, h *house, g *access.Gate) {
		h.login(g, "ada")
		h.guess(g, "ada", home)
		if n, err := g.Sweep(t.Context()); n != 0 || err != nil {
			t.Errorf("swept %d, %v", n, err)
		}
		h.pass(29 * 24 * time.Hour)
		kept := h.login(g, "ada") // takes back the failure
		h.guess(g, "ada", home)
		h.pass(25 * time.Hour)
		if n, err := g.Sweep(t.Context()); n != 2 || err != nil {
			t.Errorf("swept %d, %v, want a session and the failures", n, err)
		}
		if list := h.sessions("ada"); len(list) != 1 || list[0].ID != kept.SessionID {
			t.Errorf("left are %+v", list)
		}
		if n, err := g.Sweep(t.Context()); n != 0 || err != nil {
			t.Errorf("swept %d more, %v", n, err)
		}
	})
}

func TestTokensAreStoredNowhereAndNotPrinted(t *testing.T) {
	t.Parallel()
	h := newHouse(t, engines.SQLite(t))
	g := h.gate()
	h.addUser(g, access.NewUser{ID: "ada"})
	tokens := h.refresh(g, h.login(g, "ada"))
	encoded, err := json.Marshal(tokens)
	if err != nil {
		t.Fatal(err)
	}
	all := h.written() + string(encoded)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		all += fmt.Sprintf(verb, tokens)
	}
	for _, token := range []string{tokens.Access, tokens.Refresh} {
		for i := len("nst_a_") + 20; i+10 <= len(token); i++ {
			if strings.Contains(all, token[i:i+10]) {
				t.Fatalf("a part of a token is found: %s", token[i:i+10])
			}
		}
	}
}
