package llm

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"
)

func TestABodyInPiecesReadsAsOne(t *testing.T) {
	document := func() [][]byte { return [][]byte{[]byte("one "), {}, []byte("two "), []byte("three")} }
	if err := iotest.TestReader(&pieces{rest: document()}, []byte("one two three")); err != nil {
		t.Error(err)
	}
	// As much as fits beside the headers is read, the rest writes itself, and the document is
	// whole for another attempt.
	kept := document()
	for range 2 {
		body := &pieces{rest: kept}
		var got bytes.Buffer
		if _, err := io.CopyN(&got, struct{ io.Reader }{body}, 6); err != nil || body.Len() != 7 {
			t.Errorf("%q was read, and %d bytes are left: %v", &got, body.Len(), err)
		}
		if n, err := body.WriteTo(&got); n != 7 || err != nil || got.String() != "one two three" || body.Len() != 0 {
			t.Errorf("%d bytes were written, of all %q: %v", n, &got, err)
		}
		if n, err := body.WriteTo(&got); n != 0 || err != nil {
			t.Errorf("%d bytes more: %v", n, err)
		}
	}
}
