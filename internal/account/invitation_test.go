package account_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/store"
)

func (e env) invite(by, user string, role account.Role) error {
	return e.update(func(tx store.Tx) error {
		invited, err := account.SetMember(tx, by, e.team, user, role)
		if err == nil && !invited {
			e.Errorf("%s is no guest", user)
		}
		return err
	})
}

func (e env) accept(user string) error {
	return e.update(func(tx store.Tx) error { return account.Accept(tx, user, e.team) })
}

func (e env) decline(user string) error {
	return e.update(func(tx store.Tx) error { return account.Decline(tx, user, e.team) })
}

func (e env) withdraw(by, user string) error {
	return e.update(func(tx store.Tx) error { return account.Withdraw(tx, by, e.team, user) })
}

// invited are the invitations as the user sees them.
func (e env) invited(user string) (list []account.Invitation) {
	e.Helper()
	e.must(e.view(func(r store.Reader) (err error) {
		list, err = account.InvitationsOf(r, user)
		return err
	}))
	return list
}

// expire makes an invitation one of long ago.
func (e env) expire(user string) {
	e.Helper()
	p := nestor.Path("accounts/"+e.team).Child("invitations", user)
	e.must(e.update(func(tx store.Tx) error {
		_, err := tx.Patch(p, map[string]any{"expiresAt": 1}, store.AnyVersion)
		return err
	}))
}

func TestNobodyIsAMemberBeforeTheyAccept(t *testing.T) {
	each(t, func(e env) {
		e.must(e.invite("olga", "nina", account.Member))
		if e.role(e.team, "nina") != "" || len(e.accounts("nina")) != 0 {
			t.Error("nina was put into the account")
		}
		list := e.invited("nina")
		if len(list) != 1 || list[0].AccountID != e.team || list[0].AccountName != "Team" || list[0].InvitedBy != "olga" || list[0].Role != account.Member {
			e.Fatalf("nina is told %+v", list)
		}
		e.code(nestor.CodeNotFound, e.accept("eve")) // it is not hers
		e.must(e.accept("nina"))
		if e.role(e.team, "nina") != account.Member || len(e.invited("nina")) != 0 {
			e.Errorf("nina is %q and has %v", e.role(e.team, "nina"), e.invited("nina"))
		}
		e.code(nestor.CodeNotFound, e.accept("nina"))
	})
}

func TestAnInvitationEnds(t *testing.T) {
	each(t, func(e env) {
		for name, end := range map[string]func(env){
			"declined":            func(e env) { e.must(e.decline("nina")) },
			"withdrawn":           func(e env) { e.must(e.withdraw("olga", "nina")) },
			"too old":             func(e env) { e.expire("nina") },
			"its user is deleted": func(e env) { e.must(e.update(func(tx store.Tx) error { return account.Leave(tx, "nina") })) },
			"its account is gone": func(e env) {
				e.must(e.update(func(tx store.Tx) error { return tx.Delete(nestor.Path("accounts/"+e.team), store.AnyVersion) }))
			},
			"it was made up by the user": func(e env) {
				e.must(e.withdraw("olga", "nina"))
				e.write(func(tx store.Tx) (*nestor.Document, error) {
					return tx.Create(nestor.Path("users/nina/invitations/"+e.team), map[string]any{"role": "owner"})
				})
			},
		} {
			e.sub(name, func(e env) {
				e.team = e.write(func(tx store.Tx) (*nestor.Document, error) { return account.Create(tx, "olga", "Another") }).Path.ID()
				e.must(e.invite("olga", "nina", account.Owner))
				end(e)
				e.code(nestor.CodeNotFound, e.accept("nina"))
				e.code(nestor.CodeNotFound, e.decline("nina"))
				if e.role(e.team, "nina") != "" || len(e.invited("nina")) != 0 {
					e.Errorf("nina is %q and has %v", e.role(e.team, "nina"), e.invited("nina"))
				}
			})
		}
	})
}

func TestInvitationsAreTheOwners(t *testing.T) {
	each(t, func(e env) {
		for user, want := range map[string]nestor.Code{"mia": nestor.CodeForbidden, "vito": nestor.CodeForbidden, "eve": nestor.CodeNotFound} {
			e.code(want, e.update(func(tx store.Tx) error {
				_, err := account.SetMember(tx, user, e.team, "nina", account.Viewer)
				return err
			}))
			e.code(want, e.withdraw(user, "nina"))
		}
		e.code(nestor.CodeNotFound, e.withdraw("olga", "nina"))
		e.code(nestor.CodeNotFound, e.withdraw("olga", "a/b"))
		// The latest one counts, and its role.
		e.must(e.invite("olga", "nina", account.Owner))
		e.must(e.invite("olga", "nina", account.Viewer))
		e.must(e.accept("nina"))
		if role := e.role(e.team, "nina"); role != account.Viewer {
			e.Errorf("nina is %s", role)
		}
	})
}

func TestInvitationsOfAnAccountAreBounded(t *testing.T) {
	each(t, func(e env) {
		e.must(e.update(func(tx store.Tx) error {
			if _, err := account.SetMember(tx, "olga", e.team, "guest0", account.Viewer); err != nil {
				return err
			}
			d, err := tx.Get(nestor.Path("accounts/" + e.team + "/invitations/guest0"))
			for i := 1; i < 200 && err == nil; i++ {
				var like account.Invitation
				if like, err = nestor.As[account.Invitation](d); err == nil {
					like.UserID = fmt.Sprint("guest", i)
					_, err = tx.Create(nestor.Path("accounts/"+e.team+"/invitations/"+like.UserID), like)
				}
			}
			return err
		}))
		e.code(nestor.CodeTooLarge, e.update(func(tx store.Tx) error {
			_, err := account.SetMember(tx, "olga", e.team, "nina", account.Viewer)
			return err
		}))
		e.must(e.invite("olga", "guest7", account.Member)) // once more is no more
		e.expire("guest0")
		e.must(e.invite("olga", "nina", account.Viewer))
		if e.get(nestor.Path("users/guest0/invitations/"+e.team)) != nil {
			e.Error("what is over is not swept")
		}
	})
}

// Of two who accept and withdraw at once one is too late, and nothing is left.
func TestAcceptingAndWithdrawingAtOnce(t *testing.T) {
	each(t, func(e env) {
		for i := range 10 {
			guest := fmt.Sprint("guest", i)
			e.must(e.invite("olga", guest, account.Viewer))
			var wg sync.WaitGroup
			var accepted, withdrawn error
			wg.Go(func() { accepted = e.accept(guest) })
			wg.Go(func() { withdrawn = e.withdraw("olga", guest) })
			wg.Wait()
			if (accepted == nil) == (withdrawn == nil) || (e.role(e.team, guest) != "") != (accepted == nil) {
				e.Errorf("accepted %v, withdrawn %v, and the role is %q", accepted, withdrawn, e.role(e.team, guest))
			}
		}
	})
}
