package vector

import (
	"math"
	"slices"
	"unicode"
	"unicode/utf8"
)

// LexicalModel names the vectors of [Lexical]. Its number changes with them:
// vectors of two versions cannot be compared.
const LexicalModel = "lexical-1"

// LexicalDimensions is how many numbers a vector of [Lexical] has.
const LexicalDimensions = 256

// What the parts of a word weigh. The stem says most; pieces of the word let
// compounds ("Datenbankmigration") and misspellings resemble their relatives.
const (
	stemWeight  = 1.0
	pieceWeight = 1.0 // of all pieces of a word together
	stopWeight  = 0.1 // of words that say nothing by themselves
	pieceSize   = 4   // characters
)

// Lexical makes a vector of the words of a text, without a model: texts in similar
// words are similar, synonyms are not. Stems of words and pieces of them are hashed
// to places in the vector; a word that comes twice counts more, but not twice. It
// knows the endings and stop words of English and German, and takes the words of
// other languages as they are. The vector has length 1, or is all zeros if there is
// no word in the text.
func Lexical(text string) []float32 {
	counts := map[string]int{}
	for _, w := range words(text) {
		counts[w]++
	}
	// In order, since sums of floats depend on it.
	ordered := make([]string, 0, len(counts))
	for w := range counts {
		ordered = append(ordered, w)
	}
	slices.Sort(ordered)
	v := make([]float32, LexicalDimensions)
	for _, w := range ordered {
		weight := 1 + math.Log(float64(counts[w]))
		if stopWords[w] {
			weight *= stopWeight
		}
		root := stem(w)
		add(v, "s"+root, weight*stemWeight)
		parts := pieces(root)
		for _, p := range parts {
			add(v, "p"+p, weight*pieceWeight/math.Sqrt(float64(len(parts))))
		}
	}
	return Normalize(v)
}

// add puts a feature at its place. Its sign is hashed, too, so that features that
// meet at one place do not add up to a similarity that is none.
func add(v []float32, feature string, weight float64) {
	h := hash(feature)
	if h&(1<<32) != 0 {
		weight = -weight
	}
	v[h%LexicalDimensions] += float32(weight)
}

// hash is FNV-1a with a last mixing step, without which similar short texts meet
// in similar places.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	return h ^ h>>33
}

// words splits a text into words in small letters, without accents. Signs of
// scripts that write no spaces are a word each.
func words(text string) []string {
	var all []string
	var word []byte
	end := func() {
		if len(word) > 0 {
			all = append(all, string(word))
			word = word[:0]
		}
	}
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			end()
			all = append(all, string(r))
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			word = append(word, plain(unicode.ToLower(r))...)
		case unicode.Is(unicode.Mn, r), r == '\'', r == '’': // an accent by itself; the sign in "don't"
		default:
			end()
		}
	}
	end()
	return all
}

// pieces are the runs of pieceSize characters in a word, with its two ends marked.
func pieces(word string) []string {
	marked := "^" + word + "$"
	if utf8.RuneCountInString(marked) <= pieceSize {
		return []string{marked}
	}
	var all []string
	var starts []int
	for i := range marked {
		starts = append(starts, i)
	}
	starts = append(starts, len(marked))
	for i := range len(starts) - pieceSize {
		all = append(all, marked[starts[i]:starts[i+pieceSize]])
	}
	return all
}
