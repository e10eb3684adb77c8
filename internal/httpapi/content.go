package httpapi

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/store"
)

// Content is the answer of a route with a file: its bytes, or the range of them that
// the request asks for.
type Content struct {
	// Name is what it is saved as, and Type what it is. What a browser would run as a
	// page or a script must not be shown.
	Name, Type string
	// Shown: a browser may show it. Otherwise it offers to save it.
	Shown bool
	// Size is how many bytes there are. If it is negative nobody knows yet: the bytes are
	// sent as they come, whole, and nobody keeps them.
	Size int64
	// Tag names the bytes: what has the same tag is the same.
	Tag string
	// Open reads from an offset on.
	Open func(ctx context.Context, offset int64) (io.ReadCloser, error)
}

// contentPolicy keeps a file that a browser shows by itself from loading or running
// anything.
const contentPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

// response opens the content, so that what is wrong with it can still be told.
func (c Content) response(r *http.Request, answers *web.Answers, user string) (response, error) {
	if c.Tag != "" && web.Unchanged(r, c.Tag) {
		return response{etag: c.Tag, stream: func(w http.ResponseWriter, _ *http.Request) { web.NotModified(w, c.Tag) }}, nil
	}
	// What is read of a file while the client reads slowly counts as an answer does.
	giveBack, err := answers.Hold(user, c.keeps())
	if err != nil {
		return response{}, err
	}
	first, err := c.Open(r.Context(), 0)
	if err != nil {
		giveBack()
		return response{}, err
	}
	return response{stream: func(w http.ResponseWriter, r *http.Request) {
		defer giveBack()
		body := &seeker{ctx: r.Context(), content: c, from: first}
		defer body.close()
		c.describe(w)
		if c.Size < 0 {
			w.Header().Set("Cache-Control", "no-store")
			if _, err := io.Copy(w, first); err != nil {
				panic(http.ErrAbortHandler) // what is cut off must not look whole
			}
			return
		}
		web.SetETag(w, c.Tag)
		http.ServeContent(w, r, "", time.Time{}, body)
	}}, nil
}

// keeps is about how many bytes are in memory while the content is sent: pieces of a file
// that is stored, pages of documents otherwise.
func (c Content) keeps() int64 {
	if c.Size < 0 {
		return store.MaxPageBytes
	}
	return max(1, min(c.Size, 256<<10))
}

// describe sets the headers that say what the content is.
func (c Content) describe(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", c.Type)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("Cache-Control", "private, max-age=86400")
	disposition := "attachment"
	if c.Shown {
		disposition = "inline"
	}
	h.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": c.Name}))
}

// seeker reads a content from where it is told to.
type seeker struct {
	ctx     context.Context
	content Content
	at      int64         // what is read next
	from    io.ReadCloser // may be nil
	reached int64         // what from reads next
}

func (s *seeker) Read(p []byte) (int, error) {
	if s.from != nil && s.reached != s.at {
		s.close()
	}
	if s.from == nil {
		var err error
		if s.from, err = s.content.Open(s.ctx, s.at); err != nil {
			return 0, err
		}
		s.reached = s.at
	}
	n, err := s.from.Read(p)
	s.at += int64(n)
	s.reached = s.at
	return n, err
}

func (s *seeker) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += s.at
	case io.SeekEnd:
		offset += s.content.Size
	}
	if offset < 0 {
		return 0, errors.New("a place before the beginning of the file")
	}
	s.at = offset
	return offset, nil
}

func (s *seeker) close() {
	if s.from != nil {
		_ = s.from.Close()
		s.from = nil
	}
}
