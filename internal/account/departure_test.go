package account_test

import (
	"slices"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/store"
)

func TestAChatThatLeavesAnAccountIsNotedThere(t *testing.T) {
	each(t, func(e env) {
		const chat = nestor.Path("users/olga/orch-chats/c1")
		for name, tt := range map[string]struct {
			account string // of the chat before
			write   func(tx store.Tx) error
			noted   bool
		}{
			"it is deleted": {e.team, func(tx store.Tx) error { return tx.Delete(chat, store.AnyVersion) }, true},
			"it has no account any more": {e.team, func(tx store.Tx) error {
				_, err := tx.Put(chat, nestor.Chat{}, store.AnyVersion)
				return err
			}, true},
			"it has another one": {e.team, func(tx store.Tx) error {
				_, err := tx.Patch(chat, nestor.Chat{AccountID: "elsewhere"}, store.AnyVersion)
				return err
			}, true},
			"it stays": {e.team, func(tx store.Tx) error {
				_, err := tx.Patch(chat, nestor.Chat{Title: "x"}, store.AnyVersion)
				return err
			}, false},
			"it was in none":           {"", func(tx store.Tx) error { return tx.Delete(chat, store.AnyVersion) }, false},
			"its account is not there": {"none", func(tx store.Tx) error { return tx.Delete(chat, store.AnyVersion) }, false},
			"a message in it goes": {e.team, func(tx store.Tx) error {
				if _, err := tx.Put(chat.Child("messages", "m"), nestor.Message{Role: nestor.RoleUser}, store.AnyVersion); err != nil {
					return err
				}
				return tx.Delete(chat.Child("messages", "m"), store.AnyVersion)
			}, false},
		} {
			e.sub(name, func(e env) {
				before := e.write(func(tx store.Tx) (*nestor.Document, error) {
					return tx.Put(chat, nestor.Chat{AccountID: tt.account}, store.AnyVersion)
				})
				e.must(e.update(func(tx store.Tx) error { return tt.write(account.Noting(tx)) }))
				left, err := account.Departures(e.Context(), e.s, e.team, before.Seq)
				e.must(err)
				if noted := len(left) == 1 && left[0].Chat() == chat; noted != tt.noted || len(left) > 1 {
					e.Errorf("noted are %+v", left)
				}
			})
		}
	})
}

func TestAPersonalAccountNotesNothing(t *testing.T) {
	each(t, func(e env) {
		const chat = nestor.Path("users/olga/orch-chats/c1")
		var personal string
		e.must(e.update(func(tx store.Tx) (err error) {
			if personal, _, err = account.Place(tx, "olga", ""); err == nil {
				_, err = tx.Put(chat, nestor.Chat{AccountID: personal}, store.AnyVersion)
			}
			return err
		}))
		e.must(e.update(func(tx store.Tx) error { return account.Noting(tx).Delete(chat, store.AnyVersion) }))
		if left, err := account.Departures(e.Context(), e.s, personal, 0); err != nil || len(left) > 0 {
			e.Errorf("noted are %+v, %v", left, err)
		}
	})
}

func TestJoiningAndLeavingIsSeenFromAPosition(t *testing.T) {
	each(t, func(e env) {
		moved := func(after int64) bool {
			e.Helper()
			moved, err := account.Moved(e.Context(), e.s, "vito", after)
			e.must(err)
			return moved
		}
		position := func() int64 {
			return e.write(func(tx store.Tx) (*nestor.Document, error) {
				return tx.Put("marks/m", map[string]any{}, store.AnyVersion)
			}).Seq
		}
		joined := position()
		if moved(joined) {
			e.Error("moved before anything happened")
		}
		e.must(e.update(func(tx store.Tx) error { _, _, err := account.Place(tx, "vito", ""); return err }))
		if moved(joined) {
			e.Error("a personal account counts")
		}
		e.must(e.update(func(tx store.Tx) error { return account.RemoveMember(tx, "olga", e.team, "vito") }))
		if !moved(joined) || moved(position()) {
			e.Error("leaving is not seen, or seen for ever")
		}
	})
}

func TestWhoIsDeletedLeavesAllAccounts(t *testing.T) {
	each(t, func(e env) {
		e.users("olga", "mia", "vito")
		own := e.write(func(tx store.Tx) (*nestor.Document, error) { return account.Create(tx, "olga", "Alone") }).Path.ID()
		leave := func(user string) error {
			return e.update(func(tx store.Tx) error { return account.Leave(tx, user) })
		}
		e.code(nestor.CodeConflict, leave("olga")) // others share the team
		e.code(nestor.CodeConflict, e.view(func(r store.Reader) error { return account.CanLeave(r, "olga") }))
		e.must(leave("vito"))
		e.must(e.setMember("olga", e.team, "mia", account.Owner))
		e.must(leave("olga"))
		e.must(e.view(func(r store.Reader) error {
			if _, err := r.Get(nestor.Path("accounts/" + own)); nestor.CodeOf(err) != nestor.CodeNotFound {
				e.Errorf("an account of nobody: %v", err)
			}
			d, err := r.Get(nestor.Path("accounts/" + e.team))
			if err != nil {
				return err
			}
			a, err := nestor.As[account.Account](d)
			if len(a.Members) != 1 || a.Members["mia"] != account.Owner {
				e.Errorf("the members are %v", a.Members)
			}
			return err
		}))
	})
}

// A phantom is a member who is no user any more, or never was one.
func TestPhantomMembersKeepNobody(t *testing.T) {
	each(t, func(e env) {
		e.users("olga", "mia")
		canLeave := func(user string) error {
			return e.view(func(r store.Reader) error { return account.CanLeave(r, user) })
		}
		leave := func(user string) error {
			return e.update(func(tx store.Tx) error { return account.Leave(tx, user) })
		}
		// An owner who is a phantom is no owner that others can turn to.
		e.must(e.setMember("olga", e.team, "ghost", account.Owner))
		e.code(nestor.CodeConflict, canLeave("olga"))
		e.code(nestor.CodeConflict, leave("olga"))
		e.must(leave("mia"))
		if a, err := nestor.As[account.Account](e.get(nestor.Path("accounts/" + e.team))); err != nil || len(a.Members) != 1 {
			e.Errorf("the members are %v, %v", a.Members, err)
		}
		// An account with phantoms alone, and a membership of an account that is
		// gone.
		e.must(e.setMember("olga", e.team, "ghost", account.Viewer))
		e.must(e.update(func(tx store.Tx) error {
			_, err := account.SetMember(tx, "olga", e.team, "later", account.Viewer)
			if err != nil {
				return err
			}
			_, err = tx.Create("users/olga/memberships/gone", map[string]any{"role": "owner"})
			return err
		}))
		e.must(canLeave("olga"))
		e.must(leave("olga"))
		for _, p := range []nestor.Path{
			nestor.Path("accounts/" + e.team), nestor.Path("users/ghost/memberships/" + e.team), nestor.Path("users/vito/memberships/" + e.team),
			nestor.Path("accounts/" + e.team + "/invitations/later"), nestor.Path("users/later/invitations/" + e.team),
		} {
			if e.get(p) != nil {
				e.Errorf("%s is still there", p)
			}
		}
	})
}

func TestChatsAreDeletedOneByOneAfterTheirAgentsStopped(t *testing.T) {
	each(t, func(e env) {
		for _, id := range []string{"c1", "c2"} {
			e.write(func(tx store.Tx) (*nestor.Document, error) {
				return tx.Put(nestor.Path("users/olga/orch-chats/"+id), nestor.Chat{AccountID: e.team}, store.AnyVersion)
			})
		}
		var stopped []nestor.Path
		err := account.DeleteChats(e.Context(), e.s, "olga", func(p nestor.Path) error {
			stopped = append(stopped, p)
			return e.view(func(r store.Reader) error { _, err := r.Get(p); return err }) // it is still there
		})
		e.must(err)
		if !slices.Equal(stopped, []nestor.Path{"users/olga/orch-chats/c1", "users/olga/orch-chats/c2"}) {
			e.Errorf("stopped were %v", stopped)
		}
		if left, err := account.Departures(e.Context(), e.s, e.team, 0); err != nil || len(left) != 2 {
			e.Errorf("noted are %v, %v", left, err)
		}
	})
}
