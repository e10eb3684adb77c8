package account_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/store"
)

func TestMembersAndMembershipsStayInStep(t *testing.T) {
	each(t, func(e env) {
		membership := nestor.Path("users/nina/memberships/" + e.team)
		for _, role := range []account.Role{account.Viewer, account.Member, account.Owner, account.Viewer} {
			e.must(e.setMember("olga", e.team, "nina", role))
			var kept struct{ Role account.Role }
			e.must(e.get(membership).Decode(&kept))
			if e.role(e.team, "nina") != role || kept.Role != role || !slices.Contains(e.accounts("nina"), e.team) {
				e.Errorf("after setting %s the role is %s and the membership's %s", role, e.role(e.team, "nina"), kept.Role)
			}
		}
		e.must(e.removeMember("olga", e.team, "nina"))
		if e.role(e.team, "nina") != "" || e.get(membership) != nil || len(e.accounts("nina")) != 0 {
			e.Errorf("after removing, the role is %q and the membership %+v", e.role(e.team, "nina"), e.get(membership))
		}
		e.code(nestor.CodeNotFound, e.removeMember("olga", e.team, "nina"))
	})
}

func TestMembersAreChangedByOwnersOnlyAndByTheRules(t *testing.T) {
	each(t, func(e env) {
		personal, _, err := e.chat("olga", "", "c1")
		e.must(err)
		for _, tt := range []struct {
			name              string
			by, account, user string
			role              account.Role // "" removes
			want              nestor.Code
			olga, nina        account.Role // afterwards
		}{
			{"a member adds nobody", "mia", e.team, "nina", account.Viewer, nestor.CodeForbidden, account.Owner, ""},
			{"a viewer adds nobody", "vito", e.team, "nina", account.Viewer, nestor.CodeForbidden, account.Owner, ""},
			{"a member removes nobody", "mia", e.team, "vito", "", nestor.CodeForbidden, account.Owner, ""},
			{"a stranger does not learn of the account", "eve", e.team, "eve", account.Owner, nestor.CodeNotFound, account.Owner, ""},
			{"a stranger removes nobody", "eve", e.team, "olga", "", nestor.CodeNotFound, account.Owner, ""},
			{"the last owner cannot go", "olga", e.team, "olga", "", nestor.CodeInvalid, account.Owner, ""},
			{"the last owner cannot step down", "olga", e.team, "olga", account.Member, nestor.CodeInvalid, account.Owner, ""},
			{"a role must be one", "olga", e.team, "nina", "admin", nestor.CodeInvalid, account.Owner, ""},
			{"a member must have the id of a user", "olga", e.team, "mia/memberships/x", account.Viewer, nestor.CodeInvalid, account.Owner, ""},
			{"a personal account takes nobody", "olga", personal, "nina", account.Viewer, nestor.CodeInvalid, account.Owner, ""},
			{"a personal account keeps its user", "olga", personal, "olga", "", nestor.CodeInvalid, account.Owner, ""},
			{"an account must exist", "olga", "gone", "nina", account.Viewer, nestor.CodeNotFound, "", ""},
			{"a second owner is added", "olga", e.team, "nina", account.Owner, "", account.Owner, account.Owner},
			{"then the first can step down", "nina", e.team, "olga", account.Viewer, "", account.Viewer, account.Owner},
			{"and an owner who stepped down changes nothing", "olga", e.team, "olga", account.Owner, nestor.CodeForbidden, account.Viewer, account.Owner},
		} {
			e.sub(tt.name, func(e env) {
				var err error
				if tt.role == "" {
					err = e.removeMember(tt.by, tt.account, tt.user)
				} else {
					err = e.setMember(tt.by, tt.account, tt.user, tt.role)
				}
				e.code(tt.want, err)
				if olga, nina := e.role(tt.account, "olga"), e.role(tt.account, "nina"); olga != tt.olga || nina != tt.nina {
					e.Errorf("olga is %q, nina is %q", olga, nina)
				}
			})
		}
	})
}

func TestTwoOwnersWhoLeaveAtOnceDoNotBothSucceed(t *testing.T) {
	each(t, func(e env) {
		for range 10 {
			e.must(e.setMember("olga", e.team, "nina", account.Owner))
			var wg sync.WaitGroup
			errs := make([]error, 2)
			for i, user := range []string{"olga", "nina"} {
				wg.Go(func() { errs[i] = e.setMember(user, e.team, user, account.Viewer) })
			}
			wg.Wait()
			stays := "nina"
			if errs[0] != nil {
				stays = "olga"
			}
			if (errs[0] == nil) == (errs[1] == nil) || e.role(e.team, stays) != account.Owner {
				e.Fatalf("they got %v", errs)
			}
			e.must(e.setMember(stays, e.team, "olga", account.Owner))
		}
	})
}

func TestAMembershipThatWasMadeUpOpensNothing(t *testing.T) {
	each(t, func(e env) {
		e.write(func(tx store.Tx) (*nestor.Document, error) {
			return tx.Create(nestor.Path("users/eve/memberships/"+e.team), map[string]any{"role": account.Owner})
		})
		e.write(func(tx store.Tx) (*nestor.Document, error) {
			return tx.Create("users/eve/memberships/gone", map[string]any{"role": account.Owner})
		})
		if role, list := e.role(e.team, "eve"), e.accounts("eve"); role != "" || len(list) != 0 {
			e.Errorf("the role is %q, the accounts are %v", role, list)
		}
		e.code(nestor.CodeNotFound, e.setMember("eve", e.team, "eve", account.Owner))
	})
}

func TestAMemberWhoDeletedTheMembershipCanBeRemovedAndAddedAgain(t *testing.T) {
	each(t, func(e env) {
		membership := nestor.Path("users/mia/memberships/" + e.team)
		forget := func() { e.must(e.update(func(tx store.Tx) error { return tx.Delete(membership, store.AnyVersion) })) }
		forget()
		e.must(e.setMember("olga", e.team, "mia", account.Member))
		if got := e.accounts("mia"); !slices.Equal(got, []string{e.team}) {
			e.Errorf("added again, mia has the accounts %v", got)
		}
		forget()
		e.must(e.removeMember("olga", e.team, "mia"))
		if role := e.role(e.team, "mia"); role != "" {
			e.Errorf("removed, mia is %s", role)
		}
	})
}

func TestWhatIsNoIDIsNoAccount(t *testing.T) {
	each(t, func(e env) {
		for _, id := range []string{"", "a b", e.team + "/projects", e.team + "/projects/" + e.project("Plans")} {
			if role := e.role(id, "olga"); role != "" {
				e.Errorf("%q has the owner olga", id)
			}
		}
	})
}
