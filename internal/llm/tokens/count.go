package tokens

import (
	"regexp"
	"unicode/utf8"

	"github.com/nestorhq/nestor/internal/llm"
)

// Count returns the number of tokens of text for a model. Models of OpenAI are
// counted with their own vocabulary, exactly up to 64 KB and from a sample
// above that, so that no text takes more than a fraction of a second. The
// tokens of other models are estimated from the kinds of characters; see
// estimate.
func Count(model, text string) int { return encodingOf(model).count(text) }

// encoding is one way of counting.
type encoding uint8

const (
	estimated encoding = iota
	cl100k
	o200k
)

var (
	// A name may carry the provider, as routers write it, or mark a fine-tuned
	// model.
	cl100kModels = regexp.MustCompile(`^(ft:|openai[/.])?(gpt-4|gpt-3\.5|gpt-35)($|[-:@])`)
	o200kModels  = regexp.MustCompile(`^(ft:|openai[/.])?(gpt-\d|gpt-oss|chatgpt-|o\d+($|[-:@]))`)
)

// encodingOf chooses by the name of the model. An OpenAI model that is newer
// than this table gets the newest vocabulary.
func encodingOf(model string) encoding {
	switch {
	case cl100kModels.MatchString(model):
		return cl100k
	case o200kModels.MatchString(model):
		return o200k
	default:
		return estimated
	}
}

func (e encoding) count(text string) int {
	switch e {
	case cl100k:
		return countWith(cl100kVocabulary(), text)
	case o200k:
		return countWith(o200kVocabulary(), text)
	default:
		return llm.EstimateTokens(text)
	}
}

const (
	// exactLimit is the longest text whose every byte goes through the
	// vocabulary, at some 2 MB/s.
	exactLimit = 64 << 10
	// Longer texts are estimated from this many samples of this size.
	samples    = 32
	sampleSize = 1 << 10
)

// countWith counts exactly, or corrects the estimate of a long text by how far
// off the estimate is in samples of it.
func countWith(v *vocabulary, text string) int {
	if len(text) <= exactLimit {
		// These vocabularies lack a control character or two.
		return max(countExactly(v, text), min(1, len(text)))
	}
	counted, guessed := 0, 0
	for i := range samples {
		part := sample(text, i)
		counted += countExactly(v, part)
		guessed += llm.EstimateTokens(part)
	}
	return min(int(int64(llm.EstimateTokens(text))*int64(counted)/int64(max(guessed, 1)))+1, len(text))
}

// sample is one of the parts of a long text, which are spread evenly over it.
func sample(text string, i int) string {
	start := runeStart(text, i*(len(text)-sampleSize)/(samples-1))
	return text[start:runeStart(text, start+sampleSize)]
}

// countExactly feeds a text to the vocabulary in pieces: merging the parts of
// one long word takes time that grows with the square of its length.
func countExactly(v *vocabulary, text string) int {
	total := 0
	for text != "" {
		n := nextPiece(text)
		count, err := v.count(text[:n])
		if err != nil { // the matcher gave up on this piece
			count = llm.EstimateTokens(text[:n])
		}
		total += count
		text = text[n:]
	}
	return total
}

const longestPiece = 256

// nextPiece returns where the text can be cut. No token crosses the space
// before a word. If there is none for a while, one token too many may be
// counted.
func nextPiece(text string) int {
	if len(text) <= longestPiece {
		return len(text)
	}
	for i := longestPiece; i > longestPiece/2; i-- {
		if text[i] == ' ' && text[i-1] > ' ' {
			return i
		}
	}
	return runeStart(text, longestPiece)
}

// runeStart moves i back to where a character starts, if one does nearby.
func runeStart(text string, i int) int {
	if i >= len(text) {
		return len(text)
	}
	for back := range utf8.UTFMax {
		if i-back > 0 && utf8.RuneStart(text[i-back]) {
			return i - back
		}
	}
	return i
}
