package account_test

import (
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/store"
)

func TestProjectsAreChangedByThoseWhoMayWrite(t *testing.T) {
	for _, tt := range []struct {
		user string
		want nestor.Code
	}{
		{"olga", ""},
		{"mia", ""},
		{"vito", nestor.CodeForbidden},
		{"eve", nestor.CodeNotFound},
	} {
		t.Run(tt.user, func(t *testing.T) {
			each(t, func(e env) {
				id := e.project("Plans")
				path := nestor.Path("accounts/"+e.team).Child("projects", id)
				e.code(tt.want, e.update(func(tx store.Tx) error {
					d, err := account.CreateProject(tx, tt.user, e.team, "More")
					if err == nil && d.Path.Collection() != path.Collection() {
						e.Errorf("it was made at %s", d.Path)
					}
					return err
				}))
				e.code(tt.want, e.update(func(tx store.Tx) error {
					name := "Deeds"
					_, err := account.ChangeProject(tx, tt.user, id, account.Changes{Name: &name})
					return err
				}))
				got, err := nestor.As[account.Project](e.get(path))
				renamed := got == account.Project{Meta: got.Meta, AccountID: e.team, Name: "Deeds", CreatedBy: "mia"}
				if err != nil || renamed != (tt.want == "") {
					e.Errorf("the project is %+v, %v", got, err)
				}
				e.code(tt.want, e.deleteProject(tt.user, id))
				if gone := e.get(path) == nil; gone != (tt.want == "") {
					e.Errorf("gone: %v", gone)
				}
			})
		})
	}
}

func TestAProjectIsDeletedOnlyWhenNoChatIsInIt(t *testing.T) {
	each(t, func(e env) {
		id := e.project("Plans")
		_, _, err := e.chat("olga", id, "c1")
		e.must(err)
		e.code(nestor.CodeInvalid, e.deleteProject("mia", id))
		e.must(e.update(func(tx store.Tx) error { return tx.Delete("users/olga/orch-chats/c1", store.AnyVersion) }))
		e.must(e.deleteProject("mia", id))
		e.code(nestor.CodeNotFound, e.deleteProject("mia", id))
		_, _, err = e.chat("mia", id, "c2")
		e.code(nestor.CodeNotFound, err)
	})
}

func TestTheDefaultProjectStays(t *testing.T) {
	each(t, func(e env) {
		_, id, err := e.chat("mia", "", "c1")
		e.must(err)
		e.must(e.update(func(tx store.Tx) error { return tx.Delete("users/mia/orch-chats/c1", store.AnyVersion) }))
		e.code(nestor.CodeInvalid, e.deleteProject("mia", id))
	})
}
