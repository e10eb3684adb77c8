package pdftext

import "bytes"

// maxChain is how many references may lead to each other.
const maxChain = 16

// get is what a value stands for: the object, if it is a reference. A circle, an
// object that is not there and one that is damaged are nil.
func (f *file) get(v any) any {
	for range maxChain {
		r, ok := v.(ref)
		if !ok {
			return v
		}
		v = f.load(r.num)
	}
	return nil
}

func (f *file) dict(v any) dict {
	switch d := f.get(v).(type) {
	case dict:
		return d
	case stream:
		return d.dict
	}
	return nil
}

func (f *file) array(v any) array {
	a, _ := f.get(v).(array)
	return a
}

func (f *file) number(v any, otherwise float64) float64 {
	if n, ok := f.get(v).(float64); ok {
		return n
	}
	return otherwise
}

func (f *file) load(num int) any {
	if v, ok := f.objects[num]; ok {
		return v
	}
	e, ok := f.xref[num]
	if !ok || f.loading[num] || f.budget.err != nil {
		return nil
	}
	f.loading[num] = true
	defer delete(f.loading, num)
	if e.in > 0 {
		f.loadFrom(e.in)
		return f.objects[num]
	}
	found, v := f.objectAt(e.offset)
	if found != num {
		if v = nil; !f.rebuilt { // the places are wrong
			f.rebuild()
			delete(f.loading, num)
			return f.load(num)
		}
	}
	f.objects[num] = v
	return v
}

// objectAt reads the object at an offset, and its number. The number is -1 if there
// is none.
func (f *file) objectAt(at int) (int, any) {
	l := f.lexer(at)
	l.refs = false
	num, ok := l.object().(float64)
	if !ok || at < 0 {
		return -1, nil
	}
	if _, ok := l.object().(float64); !ok || l.object() != keyword("obj") {
		return -1, nil
	}
	l.refs = true
	v := l.object()
	if d, ok := v.(dict); ok {
		after := l.pos
		if l.object() == keyword("stream") {
			return int(num), stream{d, f.streamBytes(l, d)}
		}
		l.pos = after
	}
	f.budget.spend(l.pos - at)
	return int(num), v
}

// streamBytes are the bytes that follow "stream": as many as the dictionary says if
// "endstream" stands there, else those up to "endstream".
func (f *file) streamBytes(l *lexer, d dict) []byte {
	if l.peek(0) == '\r' {
		l.pos++
	}
	if l.peek(0) == '\n' {
		l.pos++
	}
	rest := l.data[min(l.pos, len(l.data)):]
	if n := f.number(d["Length"], -1); n >= 0 && int(n) <= len(rest) {
		if bytes.HasPrefix(bytes.TrimLeft(rest[int(n):min(int(n)+20, len(rest))], "\r\n \t"), []byte("endstream")) {
			return rest[:int(n)]
		}
	}
	end := bytes.Index(rest, []byte("endstream"))
	if end < 0 {
		end = len(rest)
	}
	f.budget.spend(end)
	return rest[:end]
}

// loadFrom reads all objects of an object stream.
func (f *file) loadFrom(num int) {
	s, ok := f.load(num).(stream)
	if !ok {
		return
	}
	content := f.decode(s)
	first := int(f.number(s.dict["First"], 0))
	head := &lexer{data: content, refs: false, budget: f.budget}
	for range int(f.number(s.dict["N"], 0)) {
		inner, ok1 := head.object().(float64)
		offset, ok2 := head.object().(float64)
		if !ok1 || !ok2 {
			return
		}
		at := first + int(offset)
		if _, known := f.objects[int(inner)]; known || f.xref[int(inner)].in != num || at < 0 || at >= len(content) {
			continue
		}
		l := &lexer{data: content, pos: at, refs: true, budget: f.budget}
		f.objects[int(inner)] = l.object()
		f.budget.spend(l.pos - at)
	}
}

// numbersIn are the numbers of the objects in an object stream.
func (f *file) numbersIn(s stream) (all []int) {
	head := &lexer{data: f.decode(s), budget: f.budget}
	for range int(f.number(s.dict["N"], 0)) {
		num, ok := head.object().(float64)
		if !ok {
			break
		}
		all = append(all, int(num))
		head.object() // its offset
	}
	return all
}
