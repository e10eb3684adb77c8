package pdftext

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf16"
)

// font turns the bytes of a string into characters.
type font struct {
	codes     *cmap // how many bytes a code has; nil for one
	toUnicode *cmap // nil for none
	utf16     bool  // codes are UTF-16 by themselves
	letters   *[256]string
	widths    map[int]float64
	ranges    []widthRange // of codes with one width, sorted
	otherwise float64      // width of the others
	unit      float64      // of widths, in parts of the size
}

// char is one character of a string.
type char struct {
	text    string
	size    int // bytes
	width   float64
	isSpace bool // the single byte 32, which word spacing adds to
}

// widthRange is the width of the codes from low to high. Few bytes of a file say a range
// of any length, so it is not written out.
type widthRange struct {
	low, high int
	width     float64
}

// width is how wide a code is drawn.
func (ft *font) width(code int) float64 {
	if w, ok := ft.widths[code]; ok {
		return w
	}
	i, found := slices.BinarySearchFunc(ft.ranges, code, func(r widthRange, code int) int { return cmp.Compare(r.low, code) })
	if !found {
		i--
	}
	if i >= 0 && code <= ft.ranges[i].high {
		return ft.ranges[i].width
	}
	return ft.otherwise
}

// font is the font of a resource, nil for none.
func (f *file) font(v any) *font {
	r, isRef := v.(ref)
	if known, ok := f.fonts[r]; isRef && ok {
		return known
	}
	d := f.dict(v)
	if d == nil || !f.budget.spend(1) {
		return nil
	}
	ft := &font{unit: 0.001, widths: map[int]float64{}}
	if s, ok := f.get(d["ToUnicode"]).(stream); ok {
		ft.toUnicode = f.cmap(s)
	}
	if d["Subtype"] == name("Type0") {
		f.composite(ft, d)
	} else {
		f.simple(ft, d)
	}
	if isRef {
		f.fonts[r] = ft
	}
	return ft
}

// simple reads a font whose codes are single bytes.
func (f *file) simple(ft *font, d dict) {
	base, _ := f.get(d["BaseFont"]).(name)
	if m, ok := f.matrix(d["FontMatrix"]); ok && d["Subtype"] == name("Type3") {
		ft.unit = m.a
	}
	ft.letters = f.encoding(d, string(base))
	descriptor := f.dict(d["FontDescriptor"])
	widths := f.array(d["Widths"])
	start := int(f.number(d["FirstChar"], 0))
	for i, w := range widths[:min(len(widths), 256)] {
		ft.widths[start+i] = f.number(w, 0)
	}
	ft.otherwise = f.number(descriptor["MissingWidth"], 0)
	if len(widths) == 0 {
		ft.standardWidths(string(base))
	}
}

// standardWidths are those of the fonts that every reader has. Those of bold ones are
// near enough to find gaps.
func (ft *font) standardWidths(base string) {
	table := helveticaWidths
	ft.otherwise = 556
	switch {
	case strings.Contains(base, "Courier") || strings.Contains(base, "Mono"):
		ft.otherwise = 600
		return
	case strings.Contains(base, "Times") || strings.Contains(base, "Roman") || strings.Contains(base, "Serif"):
		table = timesWidths
		ft.otherwise = 500
	}
	for i, w := range table {
		ft.widths[' '+i] = w
	}
}

// composite reads a font whose codes have several bytes.
func (f *file) composite(ft *font, d dict) {
	switch e := f.get(d["Encoding"]).(type) {
	case stream:
		ft.codes = f.cmap(e)
	case name:
		ft.utf16 = strings.Contains(string(e), "UCS2") || strings.Contains(string(e), "UTF16")
	}
	if ft.codes == nil || len(ft.codes.spaces) == 0 {
		ft.codes = twoBytes
	}
	descendants := f.array(d["DescendantFonts"])
	if len(descendants) == 0 {
		return
	}
	cid := f.dict(descendants[0])
	ft.otherwise = f.number(cid["DW"], 1000)
	w := f.array(cid["W"])
	for i := 0; i+1 < len(w) && f.budget.spend(1); {
		start := int(f.number(w[i], 0))
		if list, ok := f.get(w[i+1]).(array); ok {
			for k, v := range list {
				if !f.budget.hold(1) {
					return
				}
				ft.widths[start+k] = f.number(v, ft.otherwise)
			}
			i += 2
			continue
		}
		if i+2 >= len(w) {
			break
		}
		ft.ranges = append(ft.ranges, widthRange{start, int(f.number(w[i+1], 0)), f.number(w[i+2], ft.otherwise)})
		i += 3
	}
	slices.SortStableFunc(ft.ranges, func(a, b widthRange) int { return cmp.Compare(a.low, b.low) })
}

// next is the first character of s, which is not empty.
func (ft *font) next(s []byte) char {
	c := char{size: 1}
	if ft.codes != nil {
		c.size = ft.codes.length(s)
	}
	code := bigEndian(s[:c.size])
	c.isSpace = c.size == 1 && code == ' '
	id := code
	if ft.codes != nil && ft.letters == nil {
		id = ft.codes.cid(code, c.size)
	}
	c.width = ft.width(id) * ft.unit
	switch {
	case ft.toUnicode != nil:
		c.text = clean(ft.toUnicode.text(code, c.size))
	case ft.utf16 && c.size == 2:
		c.text = clean(string(utf16.Decode([]uint16{uint16(code)})))
	}
	if c.text == "" && ft.letters != nil {
		c.text = clean(ft.letters[code&0xFF])
	}
	return c
}

// ligatures are letters that are drawn as one.
var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st", "\u00A0", " ", "\u00AD", "-", "\uF0B7", "•", "\uF0A7", "▪", "\uF0A8", "☐", "\uF0FE", "☑")

// clean takes ligatures apart, and drops control characters and private ones.
func clean(s string) string {
	if s == "" || len(s) == 1 && s[0] >= ' ' && s[0] < 0x7F {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return ' '
		case r < ' ' || r == 0x7F || r == 0xFFFD || r == 0xFEFF || r >= 0x80 && r < 0xA0 || r >= 0xE000 && r < 0xF900 || r >= 0xD800 && r < 0xE000:
			return -1
		}
		return r
	}, ligatures.Replace(s))
}
