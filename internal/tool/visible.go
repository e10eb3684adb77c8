package tool

import (
	"strings"
	"unicode"

	"github.com/nestorhq/nestor"
)

// Visible drops what a model would read and a person would not see: control
// characters, and marks without a form of their own.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r)) {
			return -1
		}
		return r
	}, text)
}

// VisibleValue is a decoded JSON value without what a person who reads it would not see.
// Names of fields stay as they are, so one that hides something is an error.
func VisibleValue(value any) (any, error) {
	switch value := value.(type) {
	case string:
		return Visible(value), nil
	case []any:
		for i, inner := range value {
			shown, err := VisibleValue(inner)
			if err != nil {
				return nil, err
			}
			value[i] = shown
		}
	case map[string]any:
		for name, inner := range value {
			if Visible(name) != name {
				return nil, nestor.Errorf(nestor.CodeInvalid, "the name of a field has control or invisible characters")
			}
			shown, err := VisibleValue(inner)
			if err != nil {
				return nil, err
			}
			value[name] = shown
		}
	}
	return value, nil
}
