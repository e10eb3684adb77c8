package netguard

import "github.com/nestorhq/nestor"

// MaxValues is how many values one JSON text of a stranger may have. A decoder makes
// hundreds of bytes of an empty object, so the length of a text does not bound what it
// takes in memory.
const MaxValues = 100_000

// Values counts the values of a JSON text that comes in pieces, before anybody decodes
// it. The zero value is ready for the first piece.
type Values struct {
	n               int
	inText, escaped bool
}

// Count takes the next piece. It fails as soon as the text has more than [MaxValues].
func (v *Values) Count(piece []byte) error {
	for _, c := range piece {
		switch {
		case v.escaped:
			v.escaped = false
		case v.inText:
			v.escaped, v.inText = c == '\\', c != '"'
		case c == '"':
			v.inText = true
		case c == ',' || c == '{' || c == '[': // each begins a value at most
			v.n++
		}
	}
	if v.n > MaxValues {
		return nestor.Errorf(nestor.CodeTooLarge, "the answer has more than %d values", MaxValues)
	}
	return nil
}

// CheckValues fails if a whole JSON text has more than [MaxValues] values.
func CheckValues(text []byte) error {
	var v Values
	return v.Count(text)
}
