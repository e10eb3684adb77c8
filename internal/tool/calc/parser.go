package calc

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// parser evaluates while it parses: one pass, no tree.
type parser struct {
	lexer
	token token
}

func (p *parser) next() (err error) {
	p.token, err = p.scan()
	return err
}

func (p *parser) is(symbol string) bool {
	return p.token.kind == tokenSymbol && p.token.text == symbol
}

// accept takes the current token if it is one of the symbols.
func (p *parser) accept(symbols ...string) (operator token, ok bool, err error) {
	for _, s := range symbols {
		if p.is(s) {
			operator = p.token
			return operator, true, p.next()
		}
	}
	return token{}, false, nil
}

func (p *parser) expression(depth int) (value, error) {
	return p.binary(depth, p.term, "+", "-")
}

func (p *parser) term(depth int) (value, error) {
	return p.binary(depth, p.unary, "*", "/", "%")
}

func (p *parser) binary(depth int, operand func(int) (value, error), symbols ...string) (value, error) {
	left, err := operand(depth)
	if err != nil {
		return value{}, err
	}
	for {
		op, ok, err := p.accept(symbols...)
		if err != nil || !ok {
			return left, err
		}
		if op.text == "%" && (p.token.kind == tokenEnd || p.is(")") || p.is(",")) {
			return value{}, errorAt(op.offset, "%% is the remainder of a division; for per cent divide by 100")
		}
		right, err := operand(depth)
		if err != nil {
			return value{}, err
		}
		if left, err = apply(op, left, right); err != nil {
			return value{}, err
		}
	}
}

func (p *parser) unary(depth int) (value, error) {
	if depth > maxDepth {
		return value{}, errorAt(p.token.offset, "the expression is nested more than %d deep", maxDepth)
	}
	op, ok, err := p.accept("+", "-")
	if err != nil {
		return value{}, err
	}
	if !ok {
		return p.power(depth)
	}
	v, err := p.unary(depth + 1)
	if err == nil && op.text == "-" {
		v = v.neg()
	}
	return v, err
}

func (p *parser) power(depth int) (value, error) {
	base, err := p.primary(depth)
	if err != nil {
		return value{}, err
	}
	op, ok, err := p.accept("^")
	if err != nil || !ok {
		return base, err
	}
	exponent, err := p.unary(depth + 1)
	if err != nil {
		return value{}, err
	}
	return apply(op, base, exponent)
}

func (p *parser) primary(depth int) (value, error) {
	t := p.token
	switch {
	case t.kind == tokenNumber:
		if err := p.next(); err != nil {
			return value{}, err
		}
		return t.number, p.noProduct()
	case t.kind == tokenName:
		if err := p.next(); err != nil {
			return value{}, err
		}
		return p.named(t, depth)
	case p.is("("):
		if err := p.next(); err != nil {
			return value{}, err
		}
		v, err := p.expression(depth + 1)
		if err != nil {
			return value{}, err
		}
		if err := p.closing(t); err != nil {
			return value{}, err
		}
		return v, p.noProduct()
	default:
		return value{}, p.unexpected()
	}
}

// named evaluates a constant or a function call.
func (p *parser) named(t token, depth int) (value, error) {
	open := p.token
	if !p.is("(") {
		if c, ok := constants[t.text]; ok {
			return inexact(c), p.noProduct()
		}
		if _, ok := functions[t.text]; ok {
			return value{}, errorAt(p.token.offset, "expected ( after %s", t.text)
		}
		return value{}, errorAt(t.offset, "unknown name %q; the functions are %s; the constants are pi, e, tau",
			t.text, strings.Join(slices.Sorted(maps.Keys(functions)), ", "))
	}
	f, ok := functions[t.text]
	if !ok {
		return value{}, errorAt(t.offset, "unknown function %q; the functions are %s",
			t.text, strings.Join(slices.Sorted(maps.Keys(functions)), ", "))
	}
	if err := p.next(); err != nil {
		return value{}, err
	}
	var args []value
	for {
		arg, err := p.expression(depth + 1)
		if err != nil {
			return value{}, err
		}
		args = append(args, arg)
		if _, more, err := p.accept(","); err != nil {
			return value{}, err
		} else if !more {
			break
		}
	}
	if err := p.closing(open); err != nil {
		return value{}, err
	}
	if len(args) < f.min || len(args) > f.max {
		return value{}, errorAt(t.offset, "%s takes %s, not %d", t.text, f.arity(), len(args))
	}
	v, err := f.call(args)
	if err != nil {
		return value{}, errorAt(t.offset, "%s: %v", t.text, err)
	}
	return v, p.noProduct()
}

func (p *parser) closing(open token) error {
	if !p.is(")") {
		if p.token.kind == tokenEnd {
			return errorAt(open.offset, "this ( is not closed")
		}
		return p.unexpected()
	}
	return p.next()
}

// noProduct rejects 2pi and 2(3): what is meant is not always a product.
func (p *parser) noProduct() error {
	if p.token.kind == tokenNumber || p.token.kind == tokenName || p.is("(") {
		return errorAt(p.token.offset, "an operator is missing here; write * to multiply")
	}
	return nil
}

func (p *parser) unexpected() error {
	switch p.token.kind {
	case tokenEnd:
		if strings.TrimSpace(p.text) == "" {
			return errorAt(p.token.offset, "the expression is empty")
		}
		return errorAt(p.token.offset, "the expression ends too early")
	default:
		return errorAt(p.token.offset, "unexpected %s", p.text[p.token.offset:p.pos])
	}
}

var constants = map[string]float64{"pi": math.Pi, "e": math.E, "tau": 2 * math.Pi}
