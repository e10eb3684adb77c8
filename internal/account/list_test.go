package account_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/store"
)

func TestUsersSeeTheirAccountsAndTheProjectsInThem(t *testing.T) {
	each(t, func(e env) {
		e.write(func(tx store.Tx) (*nestor.Document, error) { return account.Create(tx, "eve", "Hers alone") })
		personal, own, err := e.chat("vito", "", "c1")
		e.must(err)
		for user, want := range map[string][]string{"olga": {e.team}, "vito": {e.team, personal}} {
			if got := e.accounts(user); !slices.Equal(got, want) {
				e.Errorf("the accounts of %s are %v, want %v", user, got, want)
			}
		}
		first, second := e.project("Plans"), e.project("Deeds")
		for id, want := range map[string][]string{e.team: {first, second}, personal: {own}} {
			got := e.ids(func(r store.Reader) ([]*nestor.Document, error) { return account.Projects(r, "vito", id) })
			if !slices.Equal(got, want) {
				e.Errorf("the projects of %s are %v, want %v", id, got, want)
			}
		}
		e.code(nestor.CodeNotFound, e.view(func(r store.Reader) error {
			_, err := account.Projects(r, "eve", e.team)
			return err
		}))
	})
}

func TestMembersSeeTheChatsOfAProjectWhoeversTheyAre(t *testing.T) {
	each(t, func(e env) {
		project, other := e.project("Plans"), e.project("Deeds")
		var want []nestor.Path
		for i := range 5 {
			user := []string{"olga", "mia"}[i%2]
			_, _, err := e.chat(user, project, fmt.Sprintf("c%d", i))
			e.must(err)
			want = append(want, nestor.Path("users/"+user).Child("orch-chats", fmt.Sprintf("c%d", i)))
		}
		for _, elsewhere := range []string{other, ""} {
			_, _, err := e.chat("olga", elsewhere, nestor.NewID())
			e.must(err)
		}
		var got []nestor.Path
		var page store.Page
		for range 3 { // pages
			e.must(e.view(func(r store.Reader) (err error) {
				page, err = account.Chats(r, "vito", project, 2, page.Next)
				return err
			}))
			for _, d := range page.Items {
				got = append(got, d.Path)
			}
		}
		if page.Next != "" {
			e.Error("there are more than three pages")
		}
		if !slices.Equal(got, want) {
			e.Errorf("the chats are %v, want %v", got, want)
		}
		for user, id := range map[string]string{"eve": project, "vito": e.team + ".gone"} {
			e.code(nestor.CodeNotFound, e.view(func(r store.Reader) error {
				_, err := account.Chats(r, user, id, 0, "")
				return err
			}))
		}
	})
}
