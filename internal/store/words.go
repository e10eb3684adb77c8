package store

import (
	"strings"
	"unicode"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/jsonvalue"
)

// Limits on what is looked for, so that no search builds unbounded SQL.
const (
	maxWords = 10
	maxWord  = 100 // characters
)

// Words splits what somebody looks for into the words that must all occur, folded by
// [Fold]. It refuses what has none, or too much of them, with [nestor.CodeInvalid].
func Words(text string) ([]string, error) {
	if err := jsonvalue.CheckText(text); err != nil {
		return nil, err
	}
	words := strings.Fields(Fold(text))
	if len(words) == 0 || len(words) > maxWords {
		return nil, nestor.Errorf(nestor.CodeInvalid, "look for 1 to %d words, not %d", maxWords, len(words))
	}
	for _, w := range words {
		if len([]rune(w)) > maxWord {
			return nil, nestor.Errorf(nestor.CodeInvalid, "a word to look for has at most %d characters", maxWord)
		}
	}
	return words, nil
}

// Fold makes texts equal that differ in case only. It replaces each character by one
// other, so that the n-th character of a text is the n-th of the folded one. What folds
// to what is said here and nowhere else: the engines are given all forms of a
// character, since each of them has an idea of case of its own.
//
// ASCII letters fold among themselves: the sign for Kelvin is no k.
func Fold(text string) string { return strings.Map(fold, text) }

func fold(r rune) rune {
	if r <= unicode.MaxASCII {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		if f > unicode.MaxASCII {
			least = min(least, f)
		}
	}
	return least
}

// Forms are the characters that fold to the same as r.
func Forms(r rune) []rune {
	if r <= unicode.MaxASCII {
		if upper := unicode.ToUpper(r); upper != r {
			return []rune{r, upper}
		}
		return []rune{r}
	}
	forms := []rune{r}
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		if f > unicode.MaxASCII {
			forms = append(forms, f)
		}
	}
	return forms
}

// IsASCII reports whether a text has ASCII characters only.
func IsASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
}
