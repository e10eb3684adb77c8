package pdftext

import (
	"sort"
	"unicode/utf16"
)

// cmap maps codes of one to four bytes, to text or to the numbers of glyphs.
type cmap struct {
	spaces []codeSpace
	// ranges of the codes, sorted by size and first code.
	ranges []codeRange
}

// codeSpace is how long codes are that begin with a byte.
type codeSpace struct{ size, low, high int }

// codeRange maps the codes from low to high.
type codeRange struct {
	size, low, high int
	text            []rune   // of low; the last rune counts up
	texts           []string // or one per code
	cid             int      // of low, for a map to glyphs
}

// maxRanges bounds the ranges of one map.
const maxRanges = 200_000

var twoBytes = &cmap{spaces: []codeSpace{{2, 0, 0xFFFF}}}

// length is how many bytes the first code of s has.
func (m *cmap) length(s []byte) int {
	for n := 1; n <= min(4, len(s)); n++ {
		code := bigEndian(s[:n])
		for _, sp := range m.spaces {
			if sp.size == n && code >= sp.low && code <= sp.high {
				return n
			}
		}
	}
	if len(m.spaces) > 0 {
		return min(m.spaces[0].size, len(s))
	}
	return 1
}

func (m *cmap) find(code, size int) (codeRange, bool) {
	i := sort.Search(len(m.ranges), func(i int) bool {
		r := m.ranges[i]
		return r.size > size || r.size == size && r.low > code
	}) - 1
	if i < 0 || m.ranges[i].size != size || code > m.ranges[i].high {
		return codeRange{}, false
	}
	return m.ranges[i], true
}

// text is what a code stands for. Some files count their bytes wrongly, so a code of
// another length is looked for as well.
func (m *cmap) text(code, size int) string {
	r, ok := m.find(code, size)
	if !ok {
		if r, ok = m.find(code, 3-size); !ok {
			return ""
		}
	}
	if r.texts != nil {
		if code-r.low < len(r.texts) {
			return r.texts[code-r.low]
		}
		return ""
	}
	if len(r.text) == 0 {
		return ""
	}
	out := append([]rune(nil), r.text...)
	out[len(out)-1] += rune(code - r.low)
	return string(out)
}

// cid is the number of the glyph of a code: the code itself if the map does not say.
func (m *cmap) cid(code, size int) int {
	if r, ok := m.find(code, size); ok {
		return r.cid + code - r.low
	}
	return code
}

// cmap reads a map. It is a program, of which only the tables matter.
func (f *file) cmap(s stream) *cmap {
	m := &cmap{}
	l := &lexer{data: f.decode(s), budget: f.budget}
	var operands []any
	for l.pos < len(l.data) && len(m.ranges) < maxRanges && f.budget.err == nil {
		v := l.object()
		op, ok := v.(keyword)
		if !ok {
			operands = append(operands, v)
			continue
		}
		switch op {
		case "endcodespacerange":
			m.addSpaces(operands)
		case "endbfchar", "endcidchar":
			for i := 0; i+1 < len(operands); i += 2 {
				m.add(operands[i], operands[i], operands[i+1])
			}
		case "endbfrange", "endcidrange":
			for i := 0; i+2 < len(operands); i += 3 {
				m.add(operands[i], operands[i+1], operands[i+2])
			}
		}
		operands = operands[:0]
	}
	sort.SliceStable(m.ranges, func(i, k int) bool {
		a, b := m.ranges[i], m.ranges[k]
		return a.size < b.size || a.size == b.size && a.low < b.low
	})
	return m
}

func (m *cmap) addSpaces(operands []any) {
	for i := 0; i+1 < len(operands) && len(m.spaces) < 256; i += 2 {
		low, ok1 := operands[i].(str)
		high, ok2 := operands[i+1].(str)
		if ok1 && ok2 && len(low) == len(high) && len(low) >= 1 && len(low) <= 4 {
			m.spaces = append(m.spaces, codeSpace{len(low), bigEndian(low), bigEndian(high)})
		}
	}
}

func (m *cmap) add(from, to, target any) {
	low, ok1 := from.(str)
	high, ok2 := to.(str)
	if !ok1 || !ok2 || len(low) != len(high) || len(low) < 1 || len(low) > 4 {
		return
	}
	r := codeRange{size: len(low), low: bigEndian(low), high: bigEndian(high)}
	switch t := target.(type) {
	case str:
		r.text = []rune(fromUTF16(t))
	case float64:
		r.cid = int(t)
	case array:
		r.texts = []string{}
		for _, v := range t {
			s, _ := v.(str)
			r.texts = append(r.texts, fromUTF16(s))
		}
	default:
		return
	}
	m.ranges = append(m.ranges, r)
}

// fromUTF16 reads big-endian UTF-16. A single byte is that character.
func fromUTF16(s str) string {
	if len(s) == 1 {
		return string(rune(s[0]))
	}
	units := make([]uint16, 0, min(len(s)/2, 32))
	for i := 0; i+1 < len(s) && len(units) < 32; i += 2 {
		units = append(units, uint16(s[i])<<8|uint16(s[i+1]))
	}
	return string(utf16.Decode(units))
}
