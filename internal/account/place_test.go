package account_test

import (
	"sync"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/store"
)

func TestAChatWithoutAProjectGoesToThePersonalAccountWhichIsMadeOnce(t *testing.T) {
	each(t, func(e env) {
		const callers = 16
		var wg sync.WaitGroup
		places := make([][2]string, callers)
		for i := range callers {
			wg.Go(func() {
				a, p, err := e.chat("new", "", string(rune('a'+i)))
				if err != nil {
					e.Error(err)
				}
				places[i] = [2]string{a, p}
			})
		}
		wg.Wait()
		a, p := places[0][0], places[0][1]
		for _, got := range places {
			if got != places[0] {
				e.Errorf("chats are placed in %v and %v", places[0], got)
			}
		}
		for _, path := range []nestor.Path{
			nestor.Path("accounts/" + a), nestor.Path("accounts/"+a).Child("projects", p), nestor.Path("users/new/memberships/" + a),
		} {
			if d := e.get(path); d == nil || d.Version != 1 {
				e.Errorf("%s is %+v, want it written once", path, d)
			}
		}
		personal, err := nestor.As[account.Account](e.get(nestor.Path("accounts/" + a)))
		if err != nil || !personal.Personal || personal.CreatedBy != "new" || e.role(a, "new") != account.Owner {
			e.Errorf("the account is %+v, %v", personal, err)
		}
		if other, _, err := e.chat("other", "", "x"); err != nil || other == a {
			e.Errorf("another user is placed in %s, %v", other, err)
		}
	})
}

func TestTheDefaultProjectIsMadeAlsoWhenItIsNamed(t *testing.T) {
	each(t, func(e env) {
		for _, chat := range []string{"first", "second"} {
			if _, got, err := e.chat("new", personalProject("new"), chat); err != nil || got != personalProject("new") {
				e.Errorf("the %s chat goes to %q, %v", chat, got, err)
			}
		}
	})
}

func TestWhatIsMissingOfThePersonalAccountIsMadeAgain(t *testing.T) {
	each(t, func(e env) {
		a, p, err := e.chat("u", "", "c1")
		e.must(err)
		project := nestor.Path("accounts/"+a).Child("projects", p)
		e.must(e.update(func(tx store.Tx) error { return tx.Delete(project, store.AnyVersion) }))
		_, _, err = e.chat("u", "", "c2")
		e.must(err)
		if made, kept := e.get(project), e.get(nestor.Path("accounts/"+a)); made == nil || kept.Version != 1 {
			e.Errorf("the project is %+v, the account %+v", made, kept)
		}
	})
}

func TestAChatGoesToAProjectItsUserMayWriteIn(t *testing.T) {
	each(t, func(e env) {
		project := e.project("Plans")
		_, private, err := e.chat("olga", "", "c0")
		e.must(err)
		for _, tt := range []struct {
			name, user, project string
			want                nestor.Code
		}{
			{"an owner may", "olga", project, ""},
			{"a member may", "mia", project, ""},
			{"for a viewer there is no such project", "vito", project, nestor.CodeNotFound},
			{"for a stranger there is no such project", "eve", project, nestor.CodeNotFound},
			{"a member's personal project is no one else's", "mia", private, nestor.CodeNotFound},
			{"a default project that was never used is no one else's", "mia", personalProject("vito"), nestor.CodeNotFound},
			{"the project must exist", "mia", e.team + ".gone", nestor.CodeNotFound},
			{"the account must exist", "mia", "gone.gone", nestor.CodeNotFound},
			{"an account is no project", "mia", e.team, nestor.CodeNotFound},
			{"a path is no project", "mia", project + "/notes", nestor.CodeNotFound},
		} {
			e.sub(tt.name, func(e env) {
				a, p, err := e.chat(tt.user, tt.project, nestor.NewID())
				e.code(tt.want, err)
				if err == nil && (a != e.team || p != project) {
					e.Errorf("it goes to %s and %s", a, p)
				}
			})
		}
	})
}

// personalProject is the id of a default project, as documents show it.
func personalProject(user string) string { return nestor.DeriveID("account", user) + ".default" }

func TestAProjectCannotBeDeletedWhileAChatIsOnItsWayIntoIt(t *testing.T) {
	each(t, func(e env) {
		project := e.project("Plans")
		deleted := make(chan error, 1)
		var once sync.Once
		err := e.update(func(tx store.Tx) error {
			a, p, err := account.Place(tx, "mia", project)
			if err != nil {
				return err
			}
			once.Do(func() {
				through := make(chan struct{})
				go func() {
					deleted <- e.deleteProject("olga", project)
					close(through)
				}()
				select { // it has time to look for chats and find none; then it waits for us or is first
				case <-through:
				case <-time.After(300 * time.Millisecond):
				}
			})
			_, err = tx.Create("users/mia/orch-chats/c1", nestor.Chat{AccountID: a, ProjectID: p})
			return err
		})
		if err == nil {
			e.code(nestor.CodeInvalid, <-deleted)
			return
		}
		e.code(nestor.CodeNotFound, err)
		e.must(<-deleted)
	})
}
