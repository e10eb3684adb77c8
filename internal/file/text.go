package file

import (
	"context"
	"sync"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/doctext"
)

// Text is the text of a file: of a text, a PDF or a Word document. It fails with
// [nestor.CodeInvalid] or [nestor.CodeTooLarge], in words for people, if it has none
// that can be read.
func (l *Library) Text(ctx context.Context, f *nestor.File) (string, error) {
	if t, ok := l.texts.find(f.ID); ok {
		return t.text, t.err
	}
	data, err := l.Bytes(ctx, f)
	if err != nil {
		return "", err
	}
	t := textOf{}
	t.text, _, t.err = doctext.Text("", "", data)
	l.texts.keep(f.ID, t)
	return t.text, t.err
}

// textOf is what reading a file gave: the same bytes give the same.
type textOf struct {
	text string
	err  error
}

// maxTexts bounds the bytes of texts that are remembered: a model is shown them again
// at every step. Beyond it all are forgotten.
const maxTexts = 16 << 20

// texts remembers the texts of files.
type texts struct {
	mu   sync.Mutex
	of   map[string]textOf
	size int
}

func (t *texts) find(id string) (textOf, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	found, ok := t.of[id]
	return found, ok
}

func (t *texts) keep(id string, text textOf) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil || t.size+len(text.text) > maxTexts {
		t.of, t.size = map[string]textOf{}, 0
	}
	t.of[id] = text
	t.size += len(text.text) + idLength
}
