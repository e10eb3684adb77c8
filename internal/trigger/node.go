package trigger

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// node is one JSON value and where it stands in the file.
type node struct {
	kind       kind
	start, end int      // its bytes
	members    []member // of an object, in the order of the file
	items      []node   // of an array
}

type member struct {
	name  string
	start int // of the name
	value node
}

// kind says what a value is, in the words of an error message.
type kind string

const (
	object  kind = "an object"
	array   kind = "a list"
	text    kind = "text"
	number  kind = "a number"
	boolean kind = "true or false"
	null    kind = "null"
)

// parseNodes reads data, which must be valid JSON.
func parseNodes(data []byte) node {
	p := parser{data: data, tokens: json.NewDecoder(bytes.NewReader(data))}
	p.tokens.UseNumber()
	return p.value()
}

type parser struct {
	data   []byte
	tokens *json.Decoder
}

func (p *parser) value() node {
	n := node{start: p.next()}
	// The JSON is valid, so there is a token and it makes sense here.
	token, _ := p.tokens.Token()
	switch t := token.(type) {
	case json.Delim:
		n.kind = array
		if t == '{' {
			n.kind = object
		}
		for p.tokens.More() {
			if n.kind == array {
				n.items = append(n.items, p.value())
				continue
			}
			m := member{start: p.next()}
			name, _ := p.tokens.Token()
			m.name, _ = name.(string)
			m.value = p.value()
			n.members = append(n.members, m)
		}
		p.tokens.Token() // the closing bracket
	case string:
		n.kind = text
	case json.Number:
		n.kind = number
	case bool:
		n.kind = boolean
	default:
		n.kind = null
	}
	n.end = int(p.tokens.InputOffset())
	return n
}

// next is the offset at which the next token begins.
func (p *parser) next() int {
	at := int(p.tokens.InputOffset())
	for at < len(p.data) && strings.IndexByte(" \t\r\n,:", p.data[at]) >= 0 {
		at++
	}
	return at
}

// runeOffset finds a character of a JSON text: the offset in quoted, which
// begins with the quote, at which character number n of the value is written.
func runeOffset(quoted []byte, n int) int {
	at := 1
	for ; n > 0 && at < len(quoted)-1; n-- {
		switch {
		case quoted[at] != '\\':
			_, size := utf8.DecodeRune(quoted[at:])
			at += size
		case quoted[at+1] != 'u':
			at += len(`\n`)
		case isSurrogatePair(quoted[at:]):
			at += len(`\ud83d\ude00`)
		default:
			at += len(`\u0000`)
		}
	}
	return at
}

// isSurrogatePair reports whether escaped begins with two \u escapes that
// stand for one character.
func isSurrogatePair(escaped []byte) bool {
	const pair = len(`\ud83d\ude00`)
	if len(escaped) < pair {
		return false
	}
	var s string
	err := json.Unmarshal(slices.Concat([]byte{'"'}, escaped[:pair], []byte{'"'}), &s)
	return err == nil && utf8.RuneCountInString(s) == 1
}
