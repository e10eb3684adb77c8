package xmlcall

import "strings"

// lookahead bounds what the parser holds back to tell code from text and a
// block of calls from a mention of one. A code span that is longer is text.
const lookahead = 1 << 10

// linePrefix may stand before a fence: a list's indentation, a quote's marks.
const linePrefix = " \t>"

// fence is the run of marks that opened code and that closes it.
type fence struct {
	mark byte
	size int
}

// matchBackticks looks at the backticks that s starts with. A run of one or two
// is code if it is closed on its line, and literal otherwise. A longer one opens
// a block, or a span if it is closed on its line: code either way.
func matchBackticks(s string, final bool, f *fence) (verdict, int) {
	n, v := markRun(s, final)
	switch {
	case v != literal:
		return v, n
	case n == lookahead:
		return literal, n
	case n >= 3:
		*f = fence{mark: '`', size: n}
		return opensCode, n
	}
	return matchSpan(s, n, final)
}

// matchSpan finds the end of a span that opens with n backticks. A span is
// literal as a whole, an unclosed run only in itself.
func matchSpan(s string, n int, final bool) (verdict, int) {
	w, cut := window(s)
	for i := n; ; {
		k := strings.IndexAny(w[i:], "`\n")
		if k < 0 {
			if cut || final {
				return literal, n
			}
			return undecided, n
		}
		if w[i+k] == '\n' {
			return literal, n
		}
		i += k
		m := runLength(w[i:])
		if i+m == len(w) && (cut || !final) {
			if cut {
				return literal, n
			}
			return undecided, n
		}
		i += m
		if m == n {
			return literal, i
		}
	}
}

// matchTildes looks at the tildes that start the line s.
func matchTildes(s string, final bool, f *fence) (verdict, int) {
	n, v := markRun(s, final)
	if v != literal || n < 3 || n == lookahead {
		return v, n
	}
	*f = fence{mark: '~', size: n}
	return opensCode, n
}

// markRun counts the equal bytes that s starts with, up to lookahead. It is
// undecided while more may follow.
func markRun(s string, final bool) (int, verdict) {
	w, cut := window(s)
	n := runLength(w)
	if n == len(w) && !cut && !final {
		return n, undecided
	}
	return n, literal
}

// scanCodeLine reads the rest of the line that opened code.
func (p *Parser) scanCodeLine(s string, final bool) string {
	for i := 0; ; {
		k := strings.IndexAny(s[i:], "`\n")
		if k < 0 {
			return p.endOfChunk(s, final)
		}
		i += k
		if s[i] == '\n' {
			p.text(s[:i+1])
			p.mode, p.midLine = inCodeBlock, false
			return s[i+1:]
		}
		n, v := markRun(s[i:], final)
		if v == undecided {
			p.text(s[:i])
			p.held = s[i:]
			return ""
		}
		i += n
		if p.fence.mark == '`' && n == p.fence.size {
			p.text(s[:i])
			p.mode = inText
			return s[i:]
		}
	}
}

// scanCodeBlock reads whole lines up to the closing fence.
func (p *Parser) scanCodeBlock(s string, final bool) string {
	for i := 0; ; {
		if !p.midLine {
			switch v, n := p.fence.closedBy(s[i:], final); v {
			case undecided:
				p.text(s[:i])
				p.held = s[i:]
				return ""
			case closesCode:
				p.text(s[:i+n])
				p.mode = inText
				return s[i+n:]
			}
			p.midLine = true
		}
		newline := strings.IndexByte(s[i:], '\n')
		if newline < 0 {
			return p.endOfChunk(s, final)
		}
		i += newline + 1
		p.midLine = false
	}
}

// closedBy reports whether the line that s starts with is a closing fence: at
// least as many marks as opened the block, and nothing else.
func (f fence) closedBy(s string, final bool) (verdict, int) {
	w, cut := window(s)
	prefix := len(w) - len(strings.TrimLeft(w, linePrefix))
	i := prefix
	for i < len(w) && w[i] == f.mark {
		i++
	}
	enough := i-prefix >= f.size
	if i < len(w) && !enough {
		return literal, 0
	}
	for i < len(w) && strings.IndexByte(" \t\r", w[i]) >= 0 {
		i++
	}
	switch {
	case i < len(w) && w[i] == '\n':
		return closesCode, i
	case i < len(w) || cut:
		return literal, 0
	case !final:
		return undecided, 0
	}
	return closesCode, i
}

func window(s string) (w string, cut bool) {
	if len(s) > lookahead {
		return s[:lookahead], true
	}
	return s, false
}

func runLength(s string) int {
	n := 1
	for n < len(s) && s[n] == s[0] {
		n++
	}
	return n
}
