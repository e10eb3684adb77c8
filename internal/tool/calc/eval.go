package calc

import (
	"fmt"
	"unicode/utf8"
)

// Limits on what is evaluated.
const (
	maxLength = 4096  // bytes of an expression
	maxDepth  = 100   // nesting
	maxBits   = 16384 // size of an exact number; about 4900 digits
)

// Eval evaluates an expression and returns its value as decimal text: exact
// if the value is a whole number or a finite decimal fraction of reasonable
// length, else rounded to 15 significant digits. Errors are of type *Error.
func Eval(expression string) (string, error) {
	if len(expression) > maxLength {
		return "", &Error{Position: 1, Reason: fmt.Sprintf("the expression is longer than %d characters", maxLength)}
	}
	p := &parser{lexer: lexer{text: expression}}
	if err := p.next(); err != nil {
		return "", p.locate(err)
	}
	v, err := p.expression(0)
	if err == nil && p.token.kind != tokenEnd {
		err = p.unexpected()
	}
	if err != nil {
		return "", p.locate(err)
	}
	return v.String(), nil
}

// Error says what is wrong with an expression and where.
type Error struct {
	// Position counts characters from 1.
	Position int
	Reason   string

	offset int // bytes from 0, until located
}

func (e *Error) Error() string { return fmt.Sprintf("at position %d: %s", e.Position, e.Reason) }

func errorAt(offset int, format string, args ...any) *Error {
	return &Error{offset: offset, Reason: fmt.Sprintf(format, args...)}
}

// locate turns the byte offset of an error into a position for people.
func (p *parser) locate(err error) error {
	e := err.(*Error)
	return &Error{Position: utf8.RuneCountInString(p.text[:min(e.offset, len(p.text))]) + 1, Reason: e.Reason}
}
