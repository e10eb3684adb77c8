package pdftext

import (
	"bytes"
	"math"
)

const (
	maxForms    = 8    // how deep forms may be drawn in forms
	formWork    = 2048 // what drawing one costs besides its content
	maxStates   = 256  // how many graphics states are kept
	maxOperands = 1024 // of one operator
)

// matrix maps a point: x' = a*x + c*y + e, y' = b*x + d*y + f.
type matrix struct{ a, b, c, d, e, f float64 }

var identity = matrix{a: 1, d: 1}

// after is the matrix that does m first and n then.
func (m matrix) after(n matrix) matrix {
	return matrix{
		m.a*n.a + m.b*n.c, m.a*n.b + m.b*n.d,
		m.c*n.a + m.d*n.c, m.c*n.b + m.d*n.d,
		m.e*n.a + m.f*n.c + n.e, m.e*n.b + m.f*n.d + n.f,
	}
}

// state is what q and Q keep.
type state struct {
	ctm                        matrix
	font                       *font
	size, charSpace, wordSpace float64
	scale, leading, rise       float64
}

// glyph is a piece of text with its place: how far along its line it begins and
// ends, and how far across the page the line lies.
type glyph struct {
	text               string
	begin, end, across float64
	size               float64
}

// reader interprets what one page draws.
type reader struct {
	file   *file
	glyphs []glyph
	left   int // glyphs that may still come, before it is too much text
	state  state
	saved  []state
	// text and line are the matrices of the text that is drawn, and of its line.
	text, line matrix
	path       shape
	bullets    []shape
}

func (r *reader) page(p page) {
	r.state = state{ctm: identity, scale: 1}
	r.run(r.file.content(p), p.resources, 0)
}

// run interprets operators.
func (r *reader) run(content []byte, resources dict, depth int) {
	l := &lexer{data: content, budget: r.file.budget}
	b := r.file.budget
	var operands []any
	held := 0 // objects that are gone after their operator
	for l.pos < len(content) && len(r.glyphs) <= r.left {
		from, before := l.pos, b.objects
		v := l.object()
		held += before - b.objects
		if !b.spend(l.pos - from) {
			return
		}
		op, ok := v.(keyword)
		if !ok {
			if len(operands) < maxOperands {
				operands = append(operands, v)
			}
			continue
		}
		b.objects, held = b.objects+held, 0
		switch op {
		case "BI":
			skipImage(l)
		case "Do":
			if n, ok := last[name](operands); ok {
				r.form(n, resources, depth)
			}
		default:
			r.operator(op, operands, resources)
		}
		operands = operands[:0]
	}
}

// skipImage passes over an image that stands in the content.
func skipImage(l *lexer) {
	if at := bytes.Index(l.data[l.pos:], []byte("ID")); at >= 0 {
		l.pos += at + 2
	}
	for {
		at := bytes.Index(l.data[l.pos:], []byte("EI"))
		if at < 0 {
			l.pos = len(l.data)
			return
		}
		before := l.pos + at - 1
		l.pos += at + 2
		if isSpace(l.data[max(before, 0)]) && (l.pos == len(l.data) || isSpace(l.data[l.pos])) {
			return
		}
	}
}

// form draws a form, which is content of its own.
func (r *reader) form(n name, resources dict, depth int) {
	f := r.file
	s, ok := f.get(f.dict(resources["XObject"])[n]).(stream)
	if !ok || s.dict["Subtype"] != name("Form") || depth >= maxForms || !f.budget.spend(formWork) {
		return
	}
	own := f.dict(s.dict["Resources"])
	if own == nil {
		own = resources
	}
	before, text, line := r.state, r.text, r.line
	if m, ok := f.matrix(s.dict["Matrix"]); ok {
		r.state.ctm = m.after(r.state.ctm)
	}
	saved := len(r.saved)
	r.run(f.decode(s), own, depth+1)
	r.saved = r.saved[:min(saved, len(r.saved))]
	r.state, r.text, r.line = before, text, line
}

func (f *file) matrix(v any) (m matrix, ok bool) {
	a := f.array(v)
	if len(a) != 6 {
		return m, false
	}
	var n [6]float64
	for i := range n {
		n[i] = f.number(a[i], 0)
	}
	return matrix{n[0], n[1], n[2], n[3], n[4], n[5]}, true
}

// operator carries out one that text depends on.
func (r *reader) operator(op keyword, operands []any, resources dict) {
	n := numbers(operands)
	s := &r.state
	switch op {
	case "m", "l", "c", "v", "y", "re", "f", "F", "f*", "B", "B*", "b", "b*", "S", "s", "n":
		r.draws(op, n)
	case "q":
		if len(r.saved) < maxStates {
			r.saved = append(r.saved, *s)
		}
	case "Q":
		if top := len(r.saved) - 1; top >= 0 {
			*s, r.saved = r.saved[top], r.saved[:top]
		}
	case "cm":
		if len(n) == 6 {
			s.ctm = matrix{n[0], n[1], n[2], n[3], n[4], n[5]}.after(s.ctm)
		}
	case "BT":
		r.text, r.line = identity, identity
	case "Tc":
		s.charSpace = first(n)
	case "Tw":
		s.wordSpace = first(n)
	case "Tz":
		s.scale = first(n) / 100
	case "TL":
		s.leading = first(n)
	case "Ts":
		s.rise = first(n)
	case "Tf":
		if len(operands) == 2 && len(n) == 1 {
			if f, ok := operands[0].(name); ok {
				s.font, s.size = r.file.font(r.file.dict(resources["Font"])[f]), n[0]
			}
		}
	case "Td", "TD":
		if len(n) == 2 {
			if op == "TD" {
				s.leading = -n[1]
			}
			r.move(n[0], n[1])
		}
	case "Tm":
		if len(n) == 6 {
			r.line = matrix{n[0], n[1], n[2], n[3], n[4], n[5]}
			r.text = r.line
		}
	case "T*":
		r.move(0, -s.leading)
	case "Tj":
		r.show(operands)
	case "'":
		r.move(0, -s.leading)
		r.show(operands)
	case `"`:
		if len(n) == 2 {
			s.wordSpace, s.charSpace = n[0], n[1]
		}
		r.move(0, -s.leading)
		r.show(operands)
	case "TJ":
		if a, ok := last[array](operands); ok {
			r.show(a)
		}
	}
}

// move begins a line at an offset from the one before.
func (r *reader) move(x, y float64) {
	r.line = matrix{a: 1, d: 1, e: x, f: y}.after(r.line)
	r.text = r.line
}

// show draws strings. Numbers between them move the next one back.
func (r *reader) show(parts []any) {
	s := &r.state
	if s.font == nil {
		return
	}
	for _, part := range parts {
		switch part := part.(type) {
		case float64:
			r.text = matrix{a: 1, d: 1, e: -part / 1000 * s.size * s.scale}.after(r.text)
		case str:
			for len(part) > 0 && len(r.glyphs) <= r.left {
				c := s.font.next(part)
				part = part[c.size:]
				r.draw(c)
			}
		}
	}
}

// draw adds the glyph of a character and moves on by its width.
func (r *reader) draw(c char) {
	s := &r.state
	width := c.width*s.size + s.charSpace
	if c.isSpace {
		width += s.wordSpace
	}
	m := matrix{a: s.size * s.scale, d: s.size, f: s.rise}.after(r.text).after(s.ctm)
	end := matrix{a: 1, d: 1, e: c.width * s.size * s.scale}.after(r.text).after(s.ctm)
	r.text = matrix{a: 1, d: 1, e: width * s.scale}.after(r.text)
	// The direction of the line, whichever way the page is turned.
	length := math.Hypot(m.a, m.b)
	if c.text == "" || !(length > 1e-9) || math.IsInf(length, 0) {
		return
	}
	x, y := m.a/length, m.b/length
	g := glyph{
		text:   c.text,
		begin:  m.e*x + m.f*y,
		end:    end.e*x + end.f*y,
		across: m.f*x - m.e*y,
		size:   math.Max(length, math.Hypot(m.c, m.d)),
	}
	for _, n := range []float64{g.begin, g.end, g.across, g.size} {
		if math.IsNaN(n) || math.Abs(n) > 1e9 {
			return // nowhere on a page
		}
	}
	r.glyphs = append(r.glyphs, g)
}

// numbers are those among the operands.
func numbers(operands []any) []float64 {
	var n []float64
	for _, v := range operands {
		if v, ok := v.(float64); ok {
			n = append(n, v)
		}
	}
	return n
}

func first(n []float64) float64 {
	if len(n) == 0 {
		return 0
	}
	return n[0]
}

// last is the last operand if it is of the type.
func last[T any](operands []any) (v T, ok bool) {
	if len(operands) > 0 {
		v, ok = operands[len(operands)-1].(T)
	}
	return v, ok
}
