package file

import (
	"context"
	"io"
	"sync"
	"unsafe"
	"weak"

	"github.com/nestorhq/nestor"
)

// Bytes are all of a file. Those who ask for the same file while others have its bytes
// get theirs, so nobody may change them: many calls that show one picture to models
// hold it once.
func (l *Library) Bytes(ctx context.Context, f *nestor.File) ([]byte, error) {
	if data := l.held.find(f); data != nil {
		return data, nil
	}
	return l.held.loads.do(ctx, f.ID, func() ([]byte, error) {
		if data := l.held.find(f); data != nil { // another was faster
			return data, nil
		}
		data, err := l.load(ctx, f)
		if err == nil {
			l.held.note(f, data)
		}
		return data, err
	})
}

func (l *Library) load(ctx context.Context, f *nestor.File) ([]byte, error) {
	r, err := l.Open(ctx, f, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	data := make([]byte, f.Size)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, nestor.Errorf(nestor.CodeUnavailable, "the file %s cannot be read: %w", f.ID, err)
	}
	return data, nil
}

// held knows the bytes that somebody has at the moment, by the id of their file, which is
// their hash. It does not hold on to them. The zero value is ready.
type held struct {
	loads flights[[]byte]

	mu    sync.Mutex
	first map[string]weak.Pointer[byte]
	sweep int // how many are in first when those that are gone are removed
}

func (h *held) find(f *nestor.File) []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	first := h.first[f.ID].Value()
	if first == nil {
		return nil
	}
	return unsafe.Slice(first, f.Size)
}

func (h *held) note(f *nestor.File, data []byte) {
	if len(data) == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.first == nil {
		h.first = map[string]weak.Pointer[byte]{}
	}
	h.first[f.ID] = weak.Make(unsafe.SliceData(data))
	if len(h.first) < h.sweep {
		return
	}
	for id, first := range h.first {
		if first.Value() == nil {
			delete(h.first, id)
		}
	}
	h.sweep = 2*len(h.first) + 100
}
