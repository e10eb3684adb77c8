package calc

import (
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind int

const (
	tokenEnd tokenKind = iota
	tokenNumber
	tokenName
	tokenSymbol // an operator, a parenthesis or a comma
)

type token struct {
	kind   tokenKind
	text   string // name in lower case, or symbol
	number value
	offset int
}

type lexer struct {
	text string
	pos  int
}

// synonyms are other spellings that people and models use.
var synonyms = map[rune]string{'×': "*", '·': "*", '÷': "/", '−': "-", 'π': "pi", '√': "sqrt"}

func (l *lexer) scan() (token, error) {
	rest := strings.TrimLeftFunc(l.text[l.pos:], unicode.IsSpace)
	l.pos = len(l.text) - len(rest)
	start := l.pos
	if rest == "" {
		return token{kind: tokenEnd, offset: start}, nil
	}
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case isDigit(r) || r == '.':
		return l.scanNumber()
	case isLetter(r):
		for l.pos < len(l.text) && (isLetter(rune(l.text[l.pos])) || isDigit(rune(l.text[l.pos]))) {
			l.pos++
		}
		return token{kind: tokenName, text: strings.ToLower(l.text[start:l.pos]), offset: start}, nil
	case strings.HasPrefix(rest, "**"):
		l.pos += 2
		return token{kind: tokenSymbol, text: "^", offset: start}, nil
	case strings.ContainsRune("+-*/%^(),", r):
		l.pos++
		return token{kind: tokenSymbol, text: string(r), offset: start}, nil
	}
	if same, ok := synonyms[r]; ok {
		l.pos += size
		if isLetter(rune(same[0])) {
			return token{kind: tokenName, text: same, offset: start}, nil
		}
		return token{kind: tokenSymbol, text: same, offset: start}, nil
	}
	return token{}, errorAt(start, "%q is not allowed in an expression", r)
}

// scanNumber reads digits, a fraction and an exponent. An e that no digits
// follow is left for the next token.
func (l *lexer) scanNumber() (token, error) {
	start := l.pos
	l.skipDigits()
	if l.peek() == '.' {
		l.pos++
		l.skipDigits()
	}
	mantissa := l.text[start:l.pos]
	if strings.Trim(mantissa, ".") == "" || l.peek() == '.' {
		return token{}, errorAt(start, "%q is not a number", l.text[start:min(l.pos+1, len(l.text))])
	}
	exponent := 0
	if e := l.pos; l.peek() == 'e' || l.peek() == 'E' {
		l.pos++
		if l.peek() == '+' || l.peek() == '-' {
			l.pos++
		}
		digits := l.pos
		l.skipDigits()
		if digits == l.pos {
			l.pos = e
		} else {
			var err error
			exponent, err = strconv.Atoi(l.text[e+1 : l.pos])
			if err != nil || exponent > maxBits || exponent < -maxBits {
				return token{}, errorAt(start, "the exponent of %s is too large", l.text[start:l.pos])
			}
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits, ok := new(big.Int).SetString("0"+whole+fraction, 10)
	if !ok {
		return token{}, errorAt(start, "%q is not a number", mantissa)
	}
	v, err := scale(new(big.Rat).SetInt(digits), exponent-len(fraction))
	if err != nil {
		return token{}, errorAt(start, "%v", err)
	}
	return token{kind: tokenNumber, number: v, offset: start}, nil
}

func (l *lexer) peek() byte {
	if l.pos < len(l.text) {
		return l.text[l.pos]
	}
	return 0
}

func (l *lexer) skipDigits() {
	for isDigit(rune(l.peek())) {
		l.pos++
	}
}

func isDigit(r rune) bool  { return '0' <= r && r <= '9' }
func isLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_' }
