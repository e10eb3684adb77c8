package pdftext

import (
	"bytes"
	"math"
	"strconv"
)

// The objects of a PDF are nil, bool, float64 and these.
type (
	name  string
	str   []byte
	array []any
	dict  map[name]any
	ref   struct{ num, gen int }
	// keyword is anything else: an operator, obj, stream.
	keyword string
	// stream is a dictionary with bytes, still encoded.
	stream struct {
		dict
		raw []byte
	}
)

// maxNesting is how deep arrays and dictionaries may lie in each other.
const maxNesting = 64

// lexer reads objects from bytes. At the end, and when the budget is spent, it
// returns the keyword "".
type lexer struct {
	data   []byte
	pos    int
	refs   bool // "1 0 R" is a reference
	budget *budget
}

func (l *lexer) object() any { return l.nested(0) }

func (l *lexer) nested(depth int) any {
	l.space()
	if l.pos >= len(l.data) || depth > maxNesting || !l.budget.hold(1) {
		l.pos = len(l.data)
		return keyword("")
	}
	switch c := l.data[l.pos]; {
	case c == '/':
		l.pos++
		return l.name()
	case c == '(':
		return l.literal()
	case c == '<' && l.peek(1) == '<':
		l.pos += 2
		return l.dict(depth)
	case c == '<':
		return l.hex()
	case c == '[':
		l.pos++
		return l.array(depth)
	case c == '>' && l.peek(1) == '>':
		l.pos += 2
		return keyword(">>")
	case c == ']' || c == '{' || c == '}' || c == ')' || c == '>':
		l.pos++
		return keyword(c)
	}
	return l.word()
}

func (l *lexer) peek(n int) byte {
	if l.pos+n < len(l.data) {
		return l.data[l.pos+n]
	}
	return 0
}

// space passes over white space and comments.
func (l *lexer) space() {
	for ; l.pos < len(l.data); l.pos++ {
		switch c := l.data[l.pos]; {
		case isSpace(c):
		case c == '%':
			end := bytes.IndexAny(l.data[l.pos:], "\r\n")
			if end < 0 {
				l.pos = len(l.data)
				return
			}
			l.pos += end
		default:
			return
		}
	}
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isRegular(c byte) bool { return !isSpace(c) && bytes.IndexByte([]byte("()<>[]{}/%"), c) < 0 }

func (l *lexer) regular() []byte {
	from := l.pos
	for l.pos < len(l.data) && isRegular(l.data[l.pos]) {
		l.pos++
	}
	return l.data[from:l.pos]
}

func (l *lexer) name() name {
	raw := l.regular()
	if bytes.IndexByte(raw, '#') < 0 {
		return name(raw)
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] == '#' && i+2 < len(raw) && hexDigit(raw[i+1]) >= 0 && hexDigit(raw[i+2]) >= 0 {
			out = append(out, byte(hexDigit(raw[i+1])<<4|hexDigit(raw[i+2])))
			i += 2
			continue
		}
		out = append(out, raw[i])
	}
	return name(out)
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

func (l *lexer) hex() str {
	l.pos++
	var out str
	high := -1
	for ; l.pos < len(l.data) && l.data[l.pos] != '>'; l.pos++ {
		d := hexDigit(l.data[l.pos])
		switch {
		case d < 0:
		case high < 0:
			high = d
		default:
			out = append(out, byte(high<<4|d))
			high = -1
		}
	}
	l.pos++
	if high >= 0 {
		out = append(out, byte(high<<4))
	}
	return out
}

// literal reads a string in parentheses.
func (l *lexer) literal() str {
	var out str
	l.pos++
	for open := 1; l.pos < len(l.data); l.pos++ {
		c := l.data[l.pos]
		switch c {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				l.pos++
				return out
			}
		case '\\':
			l.pos++
			out = l.escape(out)
			continue
		}
		out = append(out, c)
	}
	return out
}

// escape reads what follows a backslash and stays on its last byte.
func (l *lexer) escape(out str) str {
	c := l.peek(0)
	switch c {
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case '\n':
		return out
	case '\r':
		if l.peek(1) == '\n' {
			l.pos++
		}
		return out
	}
	if c < '0' || c > '7' {
		return append(out, c)
	}
	code := int(c - '0')
	for range 2 {
		if d := l.peek(1); d >= '0' && d <= '7' {
			code = code<<3 | int(d-'0')
			l.pos++
		}
	}
	return append(out, byte(code))
}

func (l *lexer) array(depth int) array {
	var out array
	for {
		switch v := l.nested(depth + 1).(type) {
		case keyword:
			switch v {
			case "]", "":
				return out
			}
		default:
			out = append(out, v)
		}
	}
}

func (l *lexer) dict(depth int) dict {
	out := dict{}
	l.budget.hold(dictObjects)
	for {
		switch key := l.nested(depth + 1).(type) {
		case keyword:
			if key == ">>" || key == "" {
				return out
			}
		case name:
			v := l.nested(depth + 1)
			if k, ok := v.(keyword); ok {
				if k == ">>" || k == "" {
					return out
				}
				continue
			}
			out[key] = v
		}
	}
}

// word reads a number, a reference, true, false, null or a keyword.
func (l *lexer) word() any {
	from := l.pos
	w := l.regular()
	if len(w) == 0 { // not reached: all delimiters are known
		l.pos = from + 1
		return keyword("?")
	}
	if n, ok := parseNumber(w); ok {
		if l.refs && n >= 0 && n == math.Trunc(n) {
			if r, ok := l.reference(int(n)); ok {
				return r
			}
		}
		return n
	}
	switch string(w) {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	}
	return keyword(w)
}

// reference reads the rest of "1 0 R", or nothing.
func (l *lexer) reference(num int) (ref, bool) {
	at := l.pos
	l.space()
	gen, err := strconv.Atoi(string(l.regularUpTo(6)))
	if err == nil && gen >= 0 {
		l.space()
		if string(l.regularUpTo(2)) == "R" {
			return ref{num, gen}, true
		}
	}
	l.pos = at
	return ref{}, false
}

// regularUpTo reads a word if it is short, so that looking ahead costs little.
func (l *lexer) regularUpTo(n int) []byte {
	from := l.pos
	for l.pos < len(l.data) && l.pos-from <= n && isRegular(l.data[l.pos]) {
		l.pos++
	}
	return l.data[from:l.pos]
}

// parseNumber reads an integer or a decimal number. There are no exponents in PDF.
func parseNumber(w []byte) (float64, bool) {
	digits := false
	for i, c := range w {
		switch {
		case c >= '0' && c <= '9':
			digits = true
		case c == '.' || (c == '-' || c == '+') && i == 0:
		default:
			return 0, false
		}
	}
	if !digits || len(w) > 40 {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(w), 64)
	return n, err == nil && math.Abs(n) < 1e15
}
