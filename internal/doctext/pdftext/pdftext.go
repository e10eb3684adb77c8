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
	Chars int // of text, more are ErrChars
	Work  int // bytes that are inflated, searched and interpreted, more are ErrWork
}

// maxObjects is how many numbers, names, arrays and so on are held at most. A
// dictionary takes as much memory as dictObjects of them.
const maxObjects, dictObjects = 2_000_000, 4

// Text reads the text of all pages. It fails with one of the errors above, or with
// the cause of ctx when that ends.
func Text(ctx context.Context, data []byte, limits Limits) (string, error) {
	at := bytes.Index(data, []byte("%PDF-"))
	if at < 0 {
		return "", ErrDamaged
	}
	f := &file{data: data[at:], budget: &budget{ctx: ctx, work: limits.Work, objects: maxObjects}, objects: map[int]any{}, loading: map[int]bool{}, fonts: map[ref]*font{}}
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
	for _, p := range pages {
		r := &reader{file: f, left: limits.Chars}
		r.page(p)
		if f.budget.err != nil {
			return "", f.budget.err
		}
		if limits.Chars -= len(r.glyphs); limits.Chars < 0 {
			return "", ErrChars
		}
		if text := layout(r.glyphs, r.bullets); text != "" {
			if out.Len() > 0 {
				out.WriteString("\n\n")
			}
			out.WriteString(text)
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
		b.err = ErrWork
	}
	return b.err == nil
}

// hold reports whether n more objects may be held.
func (b *budget) hold(n int) bool {
	if b.objects -= n; b.objects < 0 && b.err == nil {
		b.err = ErrWork
	}
	return b.err == nil
}
