package search

import (
	"slices"
	"unicode"

	"github.com/nestorhq/nestor/internal/store"
)

// Piece is a part of a snippet. Found: it is one of the words that were looked for.
type Piece struct {
	Text  string `json:"text"`
	Found bool   `json:"found,omitempty"`
}

const (
	before, after = 40, 160 // how many characters a snippet has around the first find
	toWordEnd     = 16      // how many more it may have so that it begins and ends with whole words
)

// spots are where words stand in a text.
type spots struct {
	text  []rune
	found []bool // for each character, whether it is part of a word
	words int    // how many of the words there are
}

func newSpots(text string, words []string) spots {
	s := spots{text: []rune(text)}
	s.found = make([]bool, len(s.text))
	folded := []rune(store.Fold(string(s.text)))
	for _, w := range words {
		word, any := []rune(w), false
		for i := 0; i+len(word) <= len(folded); i++ {
			if slices.Equal(folded[i:i+len(word)], word) {
				any = true
				for j := range word {
					s.found[i+j] = true
				}
			}
		}
		if any {
			s.words++
		}
	}
	return s
}

// first is how many characters stand before the first find.
func (s *spots) first() int { return max(0, slices.Index(s.found, true)) }

// snippet is the text around the first find.
func (s *spots) snippet() []Piece {
	from, to := max(0, s.first()-before), min(len(s.text), s.first()+after)
	for i := from; i > 0 && i > from-toWordEnd; i-- {
		if unicode.IsSpace(s.text[i-1]) {
			from = i
			break
		}
	}
	for i := to; i < len(s.text) && i < to+toWordEnd; i++ {
		if unicode.IsSpace(s.text[i]) {
			to = i
			break
		}
	}
	var pieces []Piece
	for i := from; i < to; {
		j := i
		for j < to && s.found[j] == s.found[i] {
			j++
		}
		pieces = append(pieces, Piece{string(s.text[i:j]), s.found[i]})
		i = j
	}
	if len(pieces) > 0 && from > 0 {
		pieces = append([]Piece{{Text: "…"}}, pieces...)
	}
	if len(pieces) > 0 && to < len(s.text) {
		pieces = append(pieces, Piece{Text: "…"})
	}
	return pieces
}
