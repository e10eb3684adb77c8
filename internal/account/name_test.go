package account_test

import (
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/store"
)

func TestNamesAreChecked(t *testing.T) {
	each(t, func(e env) {
		project := e.project("Plans")
		for _, tt := range []struct {
			name, given string
			want        nestor.Code
		}{
			{"one character is enough", "x", ""},
			{"a hundred are fine, however many bytes they have", strings.Repeat("é", 100), ""},
			{"more are not", strings.Repeat("é", 101), nestor.CodeInvalid},
			{"none is too few", "", nestor.CodeInvalid},
			{"blanks are no name", " \u00a0", nestor.CodeInvalid},
			{"line breaks are refused", "a\nb", nestor.CodeInvalid},
			{"the delete character is refused", "a\x7f", nestor.CodeInvalid},
			{"broken text is refused", "a\xff", nestor.CodeInvalid},
		} {
			e.sub(tt.name, func(e env) {
				for what, write := range map[string]func(store.Tx) (*nestor.Document, error){
					"an account": func(tx store.Tx) (*nestor.Document, error) { return account.Create(tx, "olga", tt.given) },
					"a project": func(tx store.Tx) (*nestor.Document, error) {
						return account.CreateProject(tx, "olga", e.team, tt.given)
					},
					"a new name": func(tx store.Tx) (*nestor.Document, error) {
						return account.ChangeProject(tx, "olga", project, account.Changes{Name: &tt.given})
					},
				} {
					err := e.update(func(tx store.Tx) error {
						_, err := write(tx)
						return err
					})
					if nestor.CodeOf(err) != tt.want {
						e.Errorf("%s: the error is %v, want %q", what, err, tt.want)
					}
				}
			})
		}
	})
}
