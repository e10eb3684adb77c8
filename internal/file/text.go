package file

import (
	"context"
	"fmt"
	"sync"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/doctext"
	"github.com/nestorhq/nestor/internal/ration"
)

// ShownText is how many characters of the text of a file are shown.
const ShownText = 100_000

// maxTexts bounds the bytes of texts that are remembered: a model is shown them again
// at every step. Beyond it all are forgotten.
const maxTexts = 16 << 20

// reader reads the text of files that nobody vouches for. It may take seconds and some
// hundred megabytes, so few are read at once, and one of each user. It is safe for
// concurrent use.
type reader struct {
	share *ration.Ration
	under flights[textOf]

	mu sync.Mutex
	// texts are those that were read, by the id of their file.
	texts map[string]textOf
	size  int
}

// textOf is the result of reading a file: the same bytes have the same.
type textOf struct {
	text string
	err  error
}

func newReader() *reader {
	return &reader{
		share: ration.New(ration.Options{Of: "the reading of files", PerUser: 1, All: 2, UserLine: 4, Line: 32}),
		texts: map[string]textOf{},
	}
}

// Text is the text of a file, of a text, a PDF or a Word document: its first
// [ShownText] characters, and how many are left out. It fails with
// [nestor.CodeInvalid] or [nestor.CodeTooLarge], in words for people, if the file has no
// text that can be read, and with [nestor.CodeRateLimited], which puts a job off, if too
// many files wait to be read.
//
// A file is read once however many ask for its text.
func (l *Library) Text(ctx context.Context, f *nestor.File) (string, error) {
	if known, ok := l.reader.find(f.ID); ok {
		return known.text, known.err
	}
	t, err := l.reader.under.do(ctx, f.ID, func() (textOf, error) { return l.read(ctx, f) })
	if err != nil {
		return "", err
	}
	return t.text, t.err
}

// read reads a file and remembers its text. The error is one of this moment, and says
// nothing of the file.
func (l *Library) read(ctx context.Context, f *nestor.File) (t textOf, err error) {
	if known, ok := l.reader.find(f.ID); ok { // another was faster
		return known, nil
	}
	giveBack, err := l.reader.share.Take(ctx, f.UserID, 1)
	if err != nil {
		return t, err
	}
	defer giveBack()
	if t.err = doctext.CheckSize(f.Size); t.err == nil {
		data, err := l.Bytes(ctx, f)
		if err != nil {
			return t, err
		}
		t.text, _, t.err = doctext.Text("", "", data)
		t.text = shortened(t.text)
	}
	l.reader.keep(f.ID, t)
	return t, nil
}

func (r *reader) find(id string) (textOf, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, ok := r.texts[id]
	return found, ok
}

func (r *reader) keep(id string, t textOf) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.size+len(t.text) > maxTexts {
		r.texts, r.size = map[string]textOf{}, 0
	}
	r.texts[id] = t
	r.size += len(t.text) + idLength
}

// TextOf reads the text of an upload of a user; see [doctext.Text]. It fails with
// [nestor.CodeRateLimited] if too many files wait to be read.
func (l *Library) TextOf(ctx context.Context, user, name, contentType string, data []byte) (text, sourceType string, err error) {
	giveBack, err := l.reader.share.Take(ctx, user, 1)
	if err != nil {
		return "", "", err
	}
	defer giveBack()
	return doctext.Text(name, contentType, data)
}

func shortened(text string) string {
	if len(text) <= ShownText {
		return text
	}
	n := 0
	for at := range text {
		if n++; n > ShownText {
			return text[:at] + fmt.Sprintf("\n\n[the rest of the file, %d characters, is left out]", utf8.RuneCountInString(text[at:]))
		}
	}
	return text
}
