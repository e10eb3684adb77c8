package tokens

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"math"
	"strings"
	"sync"

	"github.com/dlclark/regexp2/v2"
	// It registers compiled matchers for the patterns below. Its own vocabularies
	// are nine megabytes of Go code; tests compare the files with them.
	_ "github.com/tiktoken-go/tokenizer/codec"
)

// The vocabularies are lists of tokens in the order in which they are merged, a
// byte with the length before each, compressed.
var (
	//go:embed cl100k.gz
	cl100kTokens []byte
	//go:embed o200k.gz
	o200kTokens []byte
)

// How a text is cut into words, which are made of tokens.
const (
	cl100kWords = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	o200kWords  = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
		`|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
		`|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

// Vocabularies take some megabytes and 20 to 50 ms, so each is unpacked
// when it is first used.
var (
	cl100kVocabulary = sync.OnceValue(func() *vocabulary { return unpack(cl100kTokens, cl100kWords) })
	o200kVocabulary  = sync.OnceValue(func() *vocabulary { return unpack(o200kTokens, o200kWords) })
)

// vocabulary is a byte-pair encoding.
type vocabulary struct {
	words *regexp2.Regexp
	// ranks says which tokens are merged first: those with the lowest.
	ranks map[string]int32
}

func unpack(compressed []byte, words string) *vocabulary {
	list, err := decompress(compressed)
	if err != nil {
		panic(err) // it is part of the program
	}
	size := 0
	for at := 0; at < len(list); at += 1 + int(list[at]) {
		size++
	}
	v := &vocabulary{words: regexp2.MustCompile(words, regexp2.None), ranks: make(map[string]int32, size)}
	for list != "" {
		end := 1 + int(list[0])
		v.ranks[list[1:end]] = int32(len(v.ranks))
		list = list[end:]
	}
	return v
}

func decompress(data []byte) (string, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return "", err
	}
	var text strings.Builder
	_, err = io.Copy(&text, r)
	return text.String(), err
}

// count returns the number of tokens. It fails if the matcher gives up.
func (v *vocabulary) count(text string) (n int, err error) {
	word, err := v.words.FindStringMatch(text)
	for err == nil && word != nil {
		n += v.countWord(word.String())
		word, err = v.words.FindNextMatch(word)
	}
	return n, err
}

// countWord merges the bytes of a word, always the two neighbours with the lowest
// rank, until no two make a token.
func (v *vocabulary) countWord(word string) int {
	if _, ok := v.ranks[word]; ok {
		return 1
	}
	var space [64]piece
	pieces := space[:0]
	for i := range len(word) + 1 {
		pieces = append(pieces, piece{start: i, rank: unmerged})
	}
	// rank sets that of the piece at i together with the next one.
	rank := func(i int) {
		pieces[i].rank = unmerged
		if i+2 < len(pieces) {
			if r, ok := v.ranks[word[pieces[i].start:pieces[i+2].start]]; ok {
				pieces[i].rank = r
			}
		}
	}
	for i := range pieces {
		rank(i)
	}
	for {
		first := 0
		for i := range pieces {
			if pieces[i].rank < pieces[first].rank {
				first = i
			}
		}
		if pieces[first].rank == unmerged {
			return len(pieces) - 1
		}
		pieces = append(pieces[:first+1], pieces[first+2:]...)
		rank(first)
		if first > 0 {
			rank(first - 1)
		}
	}
}

// piece is where a part of a word starts. The last one is the word's end.
type piece struct {
	start int
	rank  int32
}

const unmerged = math.MaxInt32
