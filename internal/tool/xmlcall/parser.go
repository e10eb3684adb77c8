package xmlcall

import (
	"strings"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// Event is the next piece of text or, when Call is set, one complete call.
type Event struct {
	Text string
	Call *Call
}

// Parser finds the calls in a reply that arrives in chunks. It is for one reply
// and one goroutine.
type Parser struct {
	grammar  *grammar
	maxCalls int
	maxBytes int

	mode      mode
	fence     fence
	midLine   bool   // in a code block: the line at hand is not the closing fence
	inBlock   bool   // between <function_calls> and </function_calls>
	skipSpace bool   // in a block: whitespace around invocations is layout
	lineStart bool   // the text so far ends in an empty line, indented or quoted at most
	held      string // the undecided end of the input: at most lookahead bytes or part of a rune

	tag      tag
	balance  balance
	raw      []byte // the element being read
	tooLarge bool   // raw exceeded maxBytes and passes through as text

	calls  int
	events []Event
}

type mode int

const (
	inText mode = iota
	inCodeLine
	inCodeBlock
	inElement
)

// NewParser returns a parser for calls of these tools. It fails if a schema
// cannot be read or the mappings contradict each other.
func NewParser(tools []llm.Tool, opts Options) (*Parser, error) {
	g, err := newGrammar(tools)
	if err != nil {
		return nil, err
	}
	return newParser(g, opts), nil
}

func newParser(g *grammar, opts Options) *Parser {
	p := &Parser{grammar: g, maxCalls: opts.MaxCalls, maxBytes: opts.MaxCallBytes, lineStart: true}
	if p.maxBytes <= 0 {
		p.maxBytes = defaultMaxCallBytes
	}
	return p
}

// Feed takes the next chunk and returns what it decided. The slice is valid
// until the next call of Feed or Close.
func (p *Parser) Feed(chunk string) []Event {
	return p.run(chunk, false)
}

// Close ends the reply and returns what was held back.
func (p *Parser) Close() []Event {
	return p.run("", true)
}

// Done reports whether the reply holds as many calls as Options.MaxCalls
// allows. The parser ignores what follows the last of them.
func (p *Parser) Done() bool {
	return p.maxCalls > 0 && p.calls >= p.maxCalls
}

func (p *Parser) run(s string, final bool) []Event {
	p.events = p.events[:0]
	if p.held != "" {
		s, p.held = p.held+s, ""
	}
	for s != "" && !p.Done() {
		switch p.mode {
		case inText:
			s = p.scanText(s, final)
		case inCodeLine:
			s = p.scanCodeLine(s, final)
		case inCodeBlock:
			s = p.scanCodeBlock(s, final)
		case inElement:
			s = p.scanElement(s, final)
		}
	}
	if final && p.mode == inElement && !p.tooLarge {
		p.text(string(p.raw))
	}
	return p.events
}

// scanText reads up to the next change of mode and returns what follows it.
func (p *Parser) scanText(s string, final bool) string {
	for i := 0; ; {
		next := strings.IndexAny(s[i:], "<`~")
		if next < 0 {
			return p.endOfChunk(s, final)
		}
		i += next
		verdict, size := literal, 1
		switch s[i] {
		case '<':
			verdict, size = p.grammar.match(s[i:], p.inBlock, &p.tag)
		case '`':
			verdict, size = matchBackticks(s[i:], final, &p.fence)
		case '~':
			if p.endsInLineStart(s[:i]) {
				verdict, size = matchTildes(s[i:], final, &p.fence)
			}
		}
		switch {
		case verdict == undecided && !final:
			p.text(s[:i])
			p.held = s[i:]
			return ""
		case verdict == undecided || verdict == literal:
			i += size
		case verdict == opensCode:
			p.text(s[:i+size])
			p.mode = inCodeLine
			return s[i+size:]
		case verdict == opensElement:
			p.text(s[:i])
			p.beginElement()
			return s[i:]
		case verdict == closesBlock:
			p.text(s[:i])
			p.inBlock, p.skipSpace = false, false
			return s[i+size:]
		}
	}
}

func (p *Parser) beginElement() {
	p.mode = inElement
	p.balance = balance{name: p.tag.name}
	p.raw, p.tooLarge = p.raw[:0], false
	if p.tag.tool == nil {
		p.inBlock = true
	}
}

// scanElement reads up to the end of the element at hand. One that exceeds the
// limit is passed through as text, and reported when it ends.
func (p *Parser) scanElement(s string, final bool) string {
	if !final {
		whole := wholeRunes(s)
		s, p.held = s[:whole], s[whole:]
	}
	n, closed := p.balance.scan(s)
	if !p.tooLarge && len(p.raw)+n > p.maxBytes {
		p.tooLarge = true
		p.skipSpace = false
		p.text(string(p.raw))
	}
	switch {
	case p.tooLarge:
		p.text(s[:n])
	case closed && len(p.raw) == 0:
		p.call(s[:n])
	default:
		p.raw = append(p.raw, s[:n]...)
		if closed {
			p.call(string(p.raw))
		}
	}
	if !closed {
		return ""
	}
	if p.tooLarge {
		p.emitCall(&Call{Name: p.tag.toolName(), Err: nestor.Errorf(nestor.CodeTooLarge,
			"the call is larger than %d bytes and was not made", p.maxBytes)})
	}
	p.mode = inText
	p.skipSpace = p.inBlock
	rest := s[n:] + p.held
	p.held = ""
	return rest
}

func (p *Parser) call(raw string) {
	p.emitCall(p.grammar.decode(p.tag, raw))
}

func (p *Parser) emitCall(c *Call) {
	p.calls++
	p.lineStart = false
	p.events = append(p.events, Event{Call: c})
}

// endOfChunk emits s but for the first bytes of a rune that the chunk cuts.
func (p *Parser) endOfChunk(s string, final bool) string {
	whole := len(s)
	if !final {
		whole = wholeRunes(s)
	}
	p.text(s[:whole])
	p.held = s[whole:]
	return ""
}

func (p *Parser) text(s string) {
	p.lineStart = p.endsInLineStart(s)
	if p.skipSpace {
		s = strings.TrimLeft(s, whitespace)
	}
	if s == "" {
		return
	}
	p.skipSpace = false
	p.events = append(p.events, Event{Text: s})
}

// endsInLineStart reports whether the text emitted so far and s end at the start
// of a line, where a list's indentation and a quote's marks do not count.
func (p *Parser) endsInLineStart(s string) bool {
	before := strings.TrimRight(s, linePrefix)
	if before == "" {
		return p.lineStart
	}
	return before[len(before)-1] == '\n'
}

// wholeRunes is the length of s without an unfinished rune at its end.
func wholeRunes(s string) int {
	for i := 1; i <= min(len(s), utf8.UTFMax-1); i++ {
		if c := s[len(s)-i]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRuneInString(s[len(s)-i:]) {
				return len(s) - i
			}
			break
		}
	}
	return len(s)
}
