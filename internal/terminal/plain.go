package terminal

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain is a text without what would make a terminal do something: control characters
// and marks that turn the direction of writing. Models, tools and other people say it.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return -1
		}
		return r
	}, text)
}

// Screen writes to a terminal what is left of a text by [Plain].
func Screen(out io.Writer) io.Writer { return &screenWriter{out: out} }

// Raw is what a [Screen] writes to, and any other writer itself: for a view, which moves
// the cursor and writes plain texts only.
func Raw(out io.Writer) io.Writer {
	if s, ok := out.(*screenWriter); ok {
		return s.out
	}
	return out
}

type screenWriter struct {
	out  io.Writer
	rest []byte // the beginning of a character whose end has not come
}

// Write implements [io.Writer].
func (s *screenWriter) Write(p []byte) (int, error) {
	all := append(s.rest, p...)
	whole := len(all)
	for i := 1; i < utf8.UTFMax && i <= len(all); i++ {
		if at := len(all) - i; utf8.RuneStart(all[at]) {
			if !utf8.FullRune(all[at:]) {
				whole = at
			}
			break
		}
	}
	text := Plain(strings.ToValidUTF8(string(all[:whole]), "\uFFFD"))
	s.rest = append([]byte(nil), all[whole:]...)
	if _, err := io.WriteString(s.out, text); err != nil {
		return 0, err
	}
	return len(p), nil
}
