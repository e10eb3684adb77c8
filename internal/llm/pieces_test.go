package llm

import (
	"bytes"
	"encoding/base64"
	"io"
	"net/http"
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

func TestABodyWithDataReadsAsOne(t *testing.T) {
	one, other := bytes.Repeat([]byte("0123456"), 20_000), bytes.Repeat([]byte("abc"), 40_001)[:inlineFrom+1]
	req := &Request{Messages: []Message{{Role: RoleUser, Parts: []Part{Media{Data: one}, Media{Data: other}, Media{Data: []byte("small")}}}}}
	document := func(of func([]byte) string) [][]byte {
		return [][]byte{[]byte("{" + of(one) + "," + of(other)), []byte(of([]byte("small")) + "," + of(one) + "}")}
	}
	want := bytes.Join(document(base64.StdEncoding.EncodeToString), nil)
	for name, body := range map[string]io.ReadCloser{
		"in pieces": &pieces{rest: document(Inline)},
		"whole":     io.NopCloser(bytes.NewReader(bytes.Join(document(Inline), nil))),
	} {
		sent, err := inlineMedia(&http.Request{Body: body}, marked(req))
		if err != nil {
			t.Fatal(err)
		}
		if sent.ContentLength != int64(len(want)) {
			t.Errorf("%s: the length is %d, want %d", name, sent.ContentLength, len(want))
		}
		if err := iotest.TestReader(sent.Body, want); err != nil {
			t.Errorf("%s: %.300v", name, err)
		}
		again, err := sent.GetBody()
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if _, err := io.CopyN(&got, struct{ io.Reader }{again}, 30_000); err != nil || again.(*mixed).Len() != int64(len(want)-30_000) {
			t.Errorf("%s: %d bytes are left: %v", name, again.(*mixed).Len(), err)
		}
		if _, err := io.Copy(&got, again); err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s: another attempt sends %d bytes: %v", name, got.Len(), err)
		}
	}
}
