package pdftext

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// Parts of the size of the letters.
const (
	sameLine  = 0.35 // lines lie at least this far apart
	wordGap   = 0.18 // words do
	columnGap = 1.5  // cells of a table do
	blankGap  = 1.75 // paragraphs do, from line to line
	otherSize = 1.12 // letters of a heading are larger than others
	indentBy  = 0.5  // is one space of indentation
	maxIndent = 24
)

// textLine is glyphs side by side.
type textLine struct {
	glyphs []glyph
	across float64
	size   float64
}

// layout puts the glyphs of a page together to lines, in the order in which they were
// drawn, so that columns stay apart.
func layout(glyphs []glyph, bullets []shape) string {
	var lines []textLine
	for _, g := range glyphs {
		if n := len(lines); n > 0 {
			if l := &lines[n-1]; math.Abs(g.across-l.across) < sameLine*math.Max(g.size, l.size) {
				l.glyphs = append(l.glyphs, g)
				// A footnote mark is small and high: the larger letters have the line.
				if g.size > l.size {
					l.size, l.across = g.size, g.across
				}
				continue
			}
		}
		lines = append(lines, textLine{[]glyph{g}, g.across, g.size})
	}
	left := math.Inf(1)
	for i := range lines {
		slices.SortStableFunc(lines[i].glyphs, func(a, b glyph) int { return cmp.Compare(a.begin, b.begin) })
		left = math.Min(left, lines[i].start())
	}
	marks := sortBullets(bullets)
	var out strings.Builder
	for i, l := range lines {
		text := l.text()
		if text == "" {
			continue
		}
		if i > 0 {
			before := lines[i-1]
			down, larger, smaller := before.across-l.across, math.Max(l.size, before.size), math.Min(l.size, before.size)
			out.WriteString("\n")
			if down < 0 || down > blankGap*larger || larger > otherSize*smaller {
				out.WriteString("\n")
			}
		}
		start, bullet := marks.before(l)
		if bullet {
			text = "• " + text
		}
		indent := (start - left) / (indentBy * l.size)
		out.WriteString(strings.Repeat(" ", int(math.Min(math.Max(math.Round(indent), 0), maxIndent))))
		out.WriteString(text)
	}
	return strings.Trim(out.String(), "\n")
}

// start is where the first letter of a line is.
func (l textLine) start() float64 {
	for _, g := range l.glyphs {
		if strings.TrimSpace(g.text) != "" {
			return g.begin
		}
	}
	return math.Inf(1)
}

// text is a line with spaces where there are gaps.
func (l textLine) text() string {
	var out strings.Builder
	end := math.Inf(1) // of the last letter
	space := true      // the text ends with one, or is empty
	var before glyph
	for _, g := range l.glyphs {
		if strings.TrimSpace(g.text) == "" {
			if !space {
				out.WriteString(" ")
				space = true
			}
			continue
		}
		if g.text == before.text && math.Abs(g.begin-before.begin) < 0.1*g.size {
			continue // bold by drawing twice
		}
		switch gap := g.begin - end; {
		case space:
		case gap > columnGap*g.size:
			out.WriteString("\t")
		case gap > wordGap*g.size:
			out.WriteString(" ")
		}
		out.WriteString(g.text)
		end, space, before = g.end, false, g
	}
	return strings.TrimFunc(out.String(), unicode.IsSpace)
}
