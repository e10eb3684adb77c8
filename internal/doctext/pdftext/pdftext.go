// Package pdftext reads the text of PDF files that nobody vouches for.
//
// [Text] finds the objects of a file by its cross-reference tables or streams, and by
// searching for them where those are damaged. It interprets the content of each page
// as far as text goes, and puts the glyphs together to words and lines, in the order
// in which the page draws them. Lines keep their indentation, so that lists can be
// recognised.
//
// Each loop is bounded by [Limits] or by the bytes of the file, recursion has a fixed
// depth, and a circle of references ends where it closes.
package pdftext

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What can be wrong with a file.
var (
	ErrDamaged   = errors.New("the PDF is damaged")
	ErrEncrypted = errors.New("the PDF is encrypted")
	ErrNoText    = errors.New("the PDF has no text")
	ErrPages     = errors.New("the PDF has too many pages")
	ErrChars     = errors.New("the PDF has too much text")
	ErrWork      = errors.New("the PDF takes too much work to read")
)

// Limits bound what a file may be. All must be set.
type Limits struct {
	Pages int // more are ErrPages
	Chars int // of text, more are ErrChars, as are more than 100,000 on one page
	// Work is how many bytes are inflated, searched and interpreted. More are ErrWork,
	// and so is a stream that becomes more than 200 times its size, from 1 MiB on.
	Work int
}

// The memory that reading takes follows the size of the file, so that a small file
// cannot take as much as a large one may.
const (
	// maxObjects is how many numbers, names, arrays and so on are held at most: some
	// for each byte of the file, and never less than fewObjects. A dictionary takes as
	// much memory as dictObjects of them.
	maxObjects, fewObjects, dictObjects = 1_000_000, 50_000, 4
	// maxStream is how many bytes a stream, or all that a page draws, may become:
	// maxRatio times what it is in the file, and never less than ratioFrom.
	maxStream, maxRatio, ratioFrom = 32 << 20, 200, 1 << 20
	// maxGlyphs is how many characters a page may have.
	maxGlyphs = 100_000
)

// inflated is how many bytes n bytes of a file may become.
func inflated(n int) int { return min(max(ratioFrom, maxRatio*n), maxStream) }

// Text reads the text of all pages. It fails with one of the errors above, or with
// the cause of ctx when that ends.
func Text(ctx context.Context, data []byte, limits Limits) (string, error) {
	at := bytes.Index(data, []byte("%PDF-"))
	if at < 0 {
		return "", ErrDamaged
	}
	objects := min(max(fewObjects, 2*len(data)), maxObjects)
	f := &file{data: data[at:], budget: &budget{ctx: ctx, work: limits.Work, objects: objects}, objects: map[int]any{}, loading: map[int]bool{}, fonts: map[ref]*font{}}
	text, err := f.text(limits)
	if f.budget.err != nil {
		return "", f.budget.err
	}
	return text, err
}

func (f *file) text(limits Limits) (string, error) {
	if err := f.open(); err != nil {
		return "", err
	}
	pages, err := f.pages(limits.Pages)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	most := utf8.UTFMax * limits.Chars
	for _, p := range pages {
		r := &reader{file: f, left: min(limits.Chars, maxGlyphs)}
		r.page(p)
		if f.budget.err != nil {
			return "", f.budget.err
		}
		if limits.Chars -= len(r.glyphs); limits.Chars < 0 || len(r.glyphs) > maxGlyphs {
			return "", ErrChars
		}
		if text := layout(r.glyphs, r.bullets); text != "" {
			if out.Len() > 0 {
				out.WriteString("\n\n")
			}
			out.WriteString(text)
		}
		if out.Len() > most { // a glyph may stand for many characters
			return "", ErrChars
		}
	}
	if !strings.ContainsFunc(out.String(), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return "", ErrNoText
	}
	return out.String() + "\n", nil
}

// budget is what may still be spent on a file. Once it is spent, err is set and all
// loops end.
type budget struct {
	ctx     context.Context
	work    int
	objects int
	checked int // work at which ctx is looked at next
	err     error
}

// spend reports whether n more bytes may be worked on.
func (b *budget) spend(n int) bool {
	if b.err != nil {
		return false
	}
	b.work -= n + 1
	if b.checked -= n + 1; b.checked < 0 {
		b.checked = 1 << 16
		if b.ctx.Err() != nil {
			b.err = context.Cause(b.ctx)
			return false
		}
	}
	if b.work < 0 {
		b.exceed()
	}
	return b.err == nil
}

// exceed ends the reading of a file that becomes more than it may.
func (b *budget) exceed() {
	if b.err == nil {
		b.err = ErrWork
	}
}

// hold reports whether n more objects may be held.
func (b *budget) hold(n int) bool {
	if b.objects -= n; b.objects < 0 {
		b.exceed()
	}
	return b.err == nil
}
