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

	mu sync.Mutex
	// texts are those that were read, by the id of their file, and under those that
	// are being read.
	texts map[string]textOf
	size  int
	under map[string]*reading
}

// textOf is the result of reading a file: the same bytes have the same.
type textOf struct {
	text string
	err  error
}

// reading is a file that somebody reads, while others may wait for it.
type reading struct {
	done chan struct{}
	textOf
	// passing: the error is one of this moment, and says nothing of the file. left: it is
	// that whoever read the file went away.
	passing, left bool
}

func newReader() *reader {
	return &reader{
		share: ration.New(ration.Options{Of: "the reading of files", PerUser: 1, All: 2, UserLine: 4, Line: 32}),
		texts: map[string]textOf{}, under: map[string]*reading{},
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
	for {
		r, known, mine := l.reader.begin(f.ID)
		if r == nil {
			return known.text, known.err
		}
		if mine {
			r.textOf, r.passing = l.read(ctx, f)
			r.left = r.passing && ctx.Err() != nil
			l.reader.end(f.ID, r)
			return r.text, r.err
		}
		select {
		case <-r.done:
			if !r.left {
				return r.text, r.err
			}
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// begin returns the text of a file that is known, else who reads it, which may be the
// caller.
func (r *reader) begin(id string) (_ *reading, known textOf, mine bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known, ok := r.texts[id]; ok {
		return nil, known, false
	}
	if other := r.under[id]; other != nil {
		return other, textOf{}, false
	}
	own := &reading{done: make(chan struct{})}
	r.under[id] = own
	return own, textOf{}, true
}

func (r *reader) end(id string, own *reading) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.under, id)
	close(own.done)
	if own.passing {
		return
	}
	if r.size+len(own.text) > maxTexts {
		r.texts, r.size = map[string]textOf{}, 0
	}
	r.texts[id] = own.textOf
	r.size += len(own.text) + idLength
}

// read reads a file whose owner has a share of reading.
func (l *Library) read(ctx context.Context, f *nestor.File) (t textOf, passing bool) {
	giveBack, err := l.reader.share.Take(ctx, f.UserID, 1)
	if err != nil {
		return textOf{err: err}, true
	}
	defer giveBack()
	if err := doctext.CheckSize(f.Size); err != nil {
		return textOf{err: err}, false
	}
	data, err := l.Bytes(ctx, f)
	if err != nil {
		return textOf{err: err}, true
	}
	text, _, err := doctext.Text("", "", data)
	return textOf{shortened(text), err}, false
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
