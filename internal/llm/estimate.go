package llm

import (
	"unicode"
	"unicode/utf8"
)

// EstimateTokens guesses the number of tokens of a text without a vocabulary. Over
// prose, code and data it comes out a little above what the vocabularies of
// OpenAI count, because those of others are mostly smaller. Its rules:
//
//   - A word is one token, and one more per four letters beyond the sixth. A
//     capital after a small letter begins a new word. A letter with an accent,
//     or one of another alphabet, counts as two or three.
//   - Two digits are a token, and so are two ASCII punctuation marks in a row.
//   - A single space is free, except in front of a digit; other white space is a
//     token per 16 characters in a row.
//   - A Chinese or Japanese character is a token and a quarter, a Korean syllable
//     one and a half, a character of any script not named here one token.
//   - A symbol outside of ASCII is one token, beyond the basic plane (emoji) three.
//
// The estimate never exceeds the number of bytes.
func EstimateTokens(text string) int {
	quarters := 0 // of a token
	for i := 0; i < len(text); {
		start := i
		switch kind := kinds[text[i]]; kind {
		case small, capital:
			var n int
			i, n = word(text, i)
			quarters += wordWeight(n)
		case digit, mark:
			for i < len(text) && kinds[text[i]] == kind {
				i++
			}
			quarters += roundUp(2 * (i - start))
		case blank:
			for i < len(text) && kinds[text[i]] == blank {
				i++
			}
			if i-start > 1 || text[start] != ' ' || i == len(text) || kinds[text[i]] == digit {
				quarters += roundUp((i - start + 3) / 4)
			}
		default: // not ASCII
			r, size := utf8.DecodeRuneInString(text[i:])
			if letters(r) > 0 {
				var n int
				i, n = word(text, i)
				quarters += wordWeight(n)
				continue
			}
			i += size
			quarters += symbolWeight(r, size)
		}
	}
	return (quarters + 3) / 4
}

// kind classifies bytes, so that ASCII needs no decoding.
type kind uint8

const (
	mark kind = iota
	small
	capital
	digit
	blank
	beyond // ASCII
)

var kinds = func() (table [256]kind) {
	for i := range table {
		switch c := byte(i); {
		case 'a' <= c && c <= 'z':
			table[i] = small
		case 'A' <= c && c <= 'Z':
			table[i] = capital
		case '0' <= c && c <= '9':
			table[i] = digit
		case c == ' ' || '\t' <= c && c <= '\r':
			table[i] = blank
		case c >= utf8.RuneSelf:
			table[i] = beyond
		}
	}
	return table
}()

// word returns where the word ends that begins at i, and how many letters it
// counts.
func word(text string, i int) (end, count int) {
	afterSmall := false
	for i < len(text) {
		switch kinds[text[i]] {
		case small:
			afterSmall = true
			i, count = i+1, count+1
		case capital:
			if afterSmall {
				return i, count
			}
			i, count = i+1, count+1
		case beyond:
			r, size := utf8.DecodeRuneInString(text[i:])
			n := letters(r)
			if n == 0 {
				return i, count
			}
			afterSmall = true
			i, count = i+size, count+n
		default:
			return i, count
		}
	}
	return i, count
}

func wordWeight(letters int) int { return 4 + roundUp(max(letters-6, 0)) }

// letters is how many letters a character beyond ASCII counts in a word, 0 if it
// is none: 2 in Latin, Greek and Cyrillic, 3 in Armenian, Hebrew and Arabic. The
// scripts above those do not put spaces between words, or have long ones.
func letters(r rune) int {
	switch {
	case r >= 0x0700 || !unicode.IsLetter(r):
		return 0
	case r >= 0x0530:
		return 3
	default:
		return 2
	}
}

// symbolWeight is what a character costs that is part of no word.
func symbolWeight(r rune, size int) int {
	switch {
	case r == utf8.RuneError && size == 1: // not text
		return 4
	case 0x2e80 <= r && r <= 0x9fff || 0xf900 <= r && r <= 0xfaff: // Chinese, Japanese
		return 5
	case 0xac00 <= r && r <= 0xd7af: // Korean
		return 6
	case r >= 0x10000:
		return 12
	default:
		return 4
	}
}

// roundUp makes whole tokens of quarters.
func roundUp(quarters int) int { return (quarters + 3) &^ 3 }
