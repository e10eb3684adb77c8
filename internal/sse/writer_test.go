package sse_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/sse"
)

// client notes what it is sent, piece by piece, and until when it may take.
type client struct {
	*httptest.ResponseRecorder
	largest  int
	deadline []time.Duration
	start    time.Time
}

func newClient() *client {
	return &client{ResponseRecorder: httptest.NewRecorder(), start: time.Now()}
}

func (c *client) Write(p []byte) (int, error) {
	c.largest = max(c.largest, len(p))
	return c.ResponseRecorder.Write(p)
}

func (c *client) SetWriteDeadline(t time.Time) error {
	c.deadline = append(c.deadline, t.Sub(c.start))
	return nil
}

func TestADocumentIsWrittenAsItIsInSmallPieces(t *testing.T) {
	for _, size := range []int{0, 1, 100, sse.Piece - 100, sse.Piece, 3 * sse.Piece, 1 << 20} {
		for _, before := range []int{0, 1, sse.Piece - 20, sse.Piece - 1, sse.Piece} {
			data := "{}"
			if size > 0 {
				data = `{"text":"` + strings.Repeat("ä", size) + `"}`
			}
			d := &nestor.Document{Path: "users/u1/notes/n1", Version: 3, Seq: 7, Data: json.RawMessage(data)}
			want, err := json.Marshal(d)
			if err != nil {
				t.Fatal(err)
			}
			c := newClient()
			w := sse.New(c, time.Second)
			w.Put(strings.Repeat("-", before))
			w.Document(func() (*nestor.Document, error) { return d, nil }, `,"more":true}`)
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			if got := c.Body.String(); got != strings.Repeat("-", before)+string(want[:len(want)-1])+`,"more":true}` {
				t.Errorf("%d bytes after %d: got %.100s… of %d bytes", size, before, got, len(got))
			}
			if c.largest > sse.Piece {
				t.Errorf("%d bytes after %d: a piece has %d bytes", size, before, c.largest)
			}
		}
	}
}

func TestEveryPieceHasItsTimeAndAllOfThemTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient()
		w := sse.New(c, 10*time.Second)
		w.Put("a")
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		w.Within(4 * time.Second)
		w.Put("b")
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		w.Put("c")
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(c.deadline); got != "[10s 9s 15s]" {
			t.Errorf("the deadlines are %s", got)
		}
	})
}

// gone is a client whose connection is closed.
type gone struct{ *httptest.ResponseRecorder }

func (gone) Write([]byte) (int, error) { return 0, http.ErrHandlerTimeout }

func TestAfterAnErrorNothingIsWrittenOrRead(t *testing.T) {
	w := sse.New(gone{httptest.NewRecorder()}, time.Second)
	w.Put("x")
	if w.Flush() == nil {
		t.Fatal("the error is lost")
	}
	w.Document(func() (*nestor.Document, error) {
		t.Error("a document is read for nobody")
		return nil, nestor.ErrNotFound
	}, "}")
	if w.Flush() == nil {
		t.Error("the error is forgotten")
	}
}
