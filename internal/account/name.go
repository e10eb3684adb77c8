package account

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
)

const maxName = 100

// checkName reports why an account or a project cannot have a name.
func checkName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return nestor.Errorf(nestor.CodeInvalid, "a name must not be empty")
	case !utf8.ValidString(name):
		return nestor.Errorf(nestor.CodeInvalid, "a name must be valid UTF-8")
	case utf8.RuneCountInString(name) > maxName:
		return nestor.Errorf(nestor.CodeInvalid, "the name has %d characters: at most %d are allowed", utf8.RuneCountInString(name), maxName)
	case strings.ContainsFunc(name, unicode.IsControl):
		return nestor.Errorf(nestor.CodeInvalid, "a name must not contain control characters")
	}
	return nil
}
