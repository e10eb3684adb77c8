package xmlcall

import "strings"

const whitespace = " \t\r\n"

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// balance finds the end of an element by counting its own opening and closing
// tags; other tags are content. Its state is small and the input may stop
// anywhere, so that a long value costs no rescanning.
type balance struct {
	name  string
	depth int
	at    position
	// matched counts the bytes of name seen in a tag.
	matched int
	quote   byte
}

type position int

const (
	inContent position = iota
	afterLess
	inOpenName
	inTag
	afterTagSlash
	afterEquals
	inQuote
	inCloseName
	beforeCloseEnd
)

// scan reads s and returns how much of it belongs to the element, and whether
// the element ended there.
func (b *balance) scan(s string) (n int, closed bool) {
	for i := 0; i < len(s); i++ {
		switch b.at { // skip what cannot change the position
		case inContent:
			k := strings.IndexByte(s[i:], '<')
			if k < 0 {
				return len(s), false
			}
			i += k
		case inQuote:
			k := strings.IndexByte(s[i:], b.quote)
			if k < 0 {
				return len(s), false
			}
			i += k
		}
		before := b.depth
		selfClosed := b.step(s[i])
		if b.depth == 0 && (before == 1 || selfClosed) {
			return i + 1, true
		}
	}
	return len(s), false
}

// step reads one byte and reports whether it ended a self-closing tag.
func (b *balance) step(c byte) (selfClosed bool) {
	switch b.at {
	case inContent:
		b.content(c)
	case afterLess:
		switch {
		case c == '/':
			b.at, b.matched = inCloseName, 0
		case c == b.name[0]:
			b.at, b.matched = inOpenName, 1
		default:
			b.content(c)
		}
	case inOpenName:
		switch {
		case b.matched < len(b.name) && c == b.name[b.matched]:
			b.matched++
		case b.matched == len(b.name) && endsName(c):
			b.tag(c)
		default:
			b.content(c)
		}
	case afterTagSlash:
		if c == '>' {
			b.at = inContent
			return true
		}
		b.tag(c)
	case inTag:
		b.tag(c)
	case afterEquals:
		switch {
		case c == '"' || c == '\'':
			b.at, b.quote = inQuote, c
		case !isSpace(c):
			b.tag(c)
		}
	case inQuote:
		b.at = inTag
	case inCloseName:
		switch {
		case b.matched < len(b.name) && c == b.name[b.matched]:
			b.matched++
		case b.matched == len(b.name) && (c == '>' || isSpace(c)):
			b.closing(c)
		default:
			b.content(c)
		}
	case beforeCloseEnd:
		b.closing(c)
	}
	return false
}

func (b *balance) content(c byte) {
	b.at = inContent
	if c == '<' {
		b.at = afterLess
	}
}

func (b *balance) tag(c byte) {
	switch c {
	case '>':
		b.depth++
		b.at = inContent
	case '/':
		b.at = afterTagSlash
	case '=':
		b.at = afterEquals
	default:
		b.at = inTag
	}
}

func (b *balance) closing(c byte) {
	switch {
	case c == '>':
		b.depth = max(0, b.depth-1)
		b.at = inContent
	case isSpace(c):
		b.at = beforeCloseEnd
	default:
		b.content(c)
	}
}

// endsName reports whether c may follow an element's name.
func endsName(c byte) bool { return c == '>' || c == '/' || isSpace(c) }

// isNameByte reports whether c may be part of an element's name.
func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.'
}
