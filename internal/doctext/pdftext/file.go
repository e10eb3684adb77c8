package pdftext

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
)

// file is a PDF with the places of its objects.
type file struct {
	data    []byte
	budget  *budget
	xref    map[int]entry
	trailer dict
	rebuilt bool
	objects map[int]any
	loading map[int]bool // objects that are being read, to notice circles
	fonts   map[ref]*font
}

// entry is where an object is: at an offset, or in an object stream.
type entry struct {
	offset int
	in     int // number of the object stream, 0 for none
}

// maxSections bounds how many cross-reference sections follow each other.
const maxSections = 500

// open finds the objects and the trailer.
func (f *file) open() error {
	f.xref, f.trailer = map[int]entry{}, dict{}
	if at := bytes.LastIndex(f.data, []byte("startxref")); at >= 0 {
		l := f.lexer(at + len("startxref"))
		if n, ok := l.object().(float64); ok {
			f.sections(int(n))
		}
	}
	if _, encrypted := f.trailer["Encrypt"]; encrypted {
		return ErrEncrypted
	}
	if f.catalog() == nil && f.budget.err == nil {
		f.rebuild()
	}
	if _, encrypted := f.trailer["Encrypt"]; encrypted {
		return ErrEncrypted
	}
	if f.catalog() == nil {
		return ErrDamaged
	}
	return nil
}

func (f *file) lexer(at int) *lexer {
	return &lexer{data: f.data, pos: min(max(at, 0), len(f.data)), refs: true, budget: f.budget}
}

// catalog is the root of the document if it has pages.
func (f *file) catalog() dict {
	root, _ := f.get(f.trailer["Root"]).(dict)
	if _, ok := f.get(root["Pages"]).(dict); !ok {
		return nil
	}
	return root
}

// sections reads the cross-reference sections from the newest to the oldest. What
// was found first counts.
func (f *file) sections(at int) {
	seen := map[int]bool{}
	todo := []int{at}
	for len(todo) > 0 && len(seen) < maxSections {
		at, todo = todo[0], todo[1:]
		if seen[at] || at < 0 || at >= len(f.data) {
			continue
		}
		seen[at] = true
		l := f.lexer(at)
		var d dict
		if l.object() == keyword("xref") {
			d = f.table(l)
		} else {
			d = f.xrefStream(at)
		}
		for k, v := range d {
			if _, known := f.trailer[k]; !known {
				f.trailer[k] = v
			}
		}
		for _, next := range []name{"XRefStm", "Prev"} {
			if n, ok := d[next].(float64); ok {
				todo = append(todo, int(n))
			}
		}
	}
}

// table reads a cross-reference table and returns its trailer.
func (f *file) table(l *lexer) dict {
	for f.budget.err == nil {
		first, ok := l.object().(float64)
		if !ok {
			break // "trailer"
		}
		count, ok := l.object().(float64)
		if !ok {
			return nil
		}
		for i := range int(count) {
			offset, ok := l.object().(float64)
			if !ok {
				return nil
			}
			l.object() // generation
			if l.object() == keyword("n") {
				f.place(int(first)+i, entry{offset: int(offset)})
			}
		}
	}
	d, _ := l.object().(dict)
	return d
}

func (f *file) place(num int, e entry) {
	if _, known := f.xref[num]; !known && f.budget.hold(1) {
		f.xref[num] = e
	}
}

// xrefStream reads a cross-reference stream and returns its dictionary.
func (f *file) xrefStream(at int) dict {
	_, v := f.objectAt(at)
	s, ok := v.(stream)
	if !ok || s.dict["Type"] != name("XRef") {
		return nil
	}
	content := f.decode(s)
	widths, _ := s.dict["W"].(array)
	if len(widths) < 3 {
		return nil
	}
	var w [3]int
	for i := range w {
		n, _ := widths[i].(float64)
		if n < 0 || n > 8 {
			return nil
		}
		w[i] = int(n)
	}
	size := w[0] + w[1] + w[2]
	index, ok := s.dict["Index"].(array)
	if !ok {
		index = array{0.0, s.dict["Size"]}
	}
	for i := 0; i+1 < len(index) && size > 0; i += 2 {
		first, _ := index[i].(float64)
		count, _ := index[i+1].(float64)
		for num := int(first); num < int(first)+int(count) && len(content) >= size; num++ {
			kind := 1
			if w[0] > 0 {
				kind = bigEndian(content[:w[0]])
			}
			second := bigEndian(content[w[0] : w[0]+w[1]])
			switch kind {
			case 1:
				f.place(num, entry{offset: second})
			case 2:
				f.place(num, entry{in: second})
			}
			content = content[size:]
		}
	}
	return s.dict
}

func bigEndian(b []byte) (n int) {
	for _, c := range b {
		n = n<<8 | int(c)
	}
	return n
}

var objectStart = regexp.MustCompile(`(?:^|[\s>])(\d{1,9})[ \t\r\n]+\d{1,5}[ \t\r\n]+obj\b`)

// rebuild finds the objects of a damaged file by searching for them. Later ones
// replace earlier ones of the same number.
func (f *file) rebuild() {
	if f.rebuilt || !f.budget.spend(len(f.data)) {
		return
	}
	f.rebuilt = true
	f.xref, f.objects = map[int]entry{}, map[int]any{}
	for _, m := range objectStart.FindAllSubmatchIndex(f.data, -1) {
		num, _ := strconv.Atoi(string(f.data[m[2]:m[3]])) // digits
		f.xref[num] = entry{offset: m[2]}
	}
	for rest, at := f.data, 0; f.budget.err == nil; {
		i := bytes.Index(rest, []byte("trailer"))
		if i < 0 {
			break
		}
		at += i + len("trailer")
		rest = f.data[at:]
		if d, ok := f.lexer(at).object().(dict); ok {
			for k, v := range d {
				f.trailer[k] = v
			}
		}
	}
	for _, num := range f.numbers() {
		switch v := f.get(ref{num: num}).(type) {
		case stream:
			switch v.dict["Type"] {
			case name("ObjStm"):
				for _, inner := range f.numbersIn(v) {
					f.place(inner, entry{in: num})
				}
			case name("XRef"):
				if _, ok := v.dict["Encrypt"]; ok {
					f.trailer["Encrypt"] = v.dict["Encrypt"]
				}
			}
		}
	}
	for _, num := range f.numbers() {
		if d, ok := f.get(ref{num: num}).(dict); ok && d["Type"] == name("Catalog") {
			f.trailer["Root"] = ref{num: num}
		}
	}
}

// numbers are those of all objects, in order.
func (f *file) numbers() []int {
	all := make([]int, 0, len(f.xref))
	for num := range f.xref {
		all = append(all, num)
	}
	slices.Sort(all)
	return all
}
