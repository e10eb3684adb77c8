package replication

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf16"

	"github.com/nestorhq/nestor"
)

// RefusedHeader is the header in which the answer to a push says why rows were
// refused: a JSON array of objects with id, code and message, in the order of
// the rows. The conflicts themselves stay plain documents, which RxDB stores as
// they are. Rows that merely met a newer master are not in it.
//
// A reason tells nothing about documents that the caller may not read.
const RefusedHeader = "Nestor-Refused"

// refusal is why a row was not accepted and never will be.
type refusal struct {
	ID      string      `json:"id"`
	Code    nestor.Code `json:"code"`
	Message string      `json:"message"`
}

// refusalOf is nil for a conflict.
func refusalOf(id string, err error) *refusal {
	code := nestor.CodeOf(err)
	if code == nestor.CodeConflict || code == nestor.CodeExists {
		return nil
	}
	return &refusal{ID: id, Code: code, Message: err.Error()}
}

// maxRefusals is how long the header may become: proxies drop an answer whose
// headers take more than a few thousand bytes.
const maxRefusals = 4_000

// refusals are as many as fit the header.
type refusals struct{ text []byte }

func (r *refusals) add(one refusal) {
	text, _ := json.Marshal(one) // texts always encode
	if len(r.text)+len(text) < maxRefusals {
		r.text = append(append(r.text, ','), text...)
	}
}

func (r *refusals) tell(h http.Header) {
	if len(r.text) > 0 {
		h.Set(RefusedHeader, "["+ascii(string(r.text[1:]))+"]")
	}
}

// ascii writes JSON in the characters that a header can carry.
func ascii(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
