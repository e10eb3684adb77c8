package llm

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
)

// inlineFrom is the size from which data are sent from where they lie. Encoded
// into the document of a request they would take three times their size for as long as
// the call lasts.
const inlineFrom = 64 << 10

// markBegin is what no text that is sent to a model holds by accident or on purpose.
var markBegin = "nestor-inline-" + rand.Text() + "-"

const markEnd = ';'

// Inline returns the text that stands for data in the JSON document of a request: the
// data in base64, or of large data a mark. [Endpoint.Stream] sends the base64 in the
// place of the mark, a piece at a time.
func Inline(data []byte) string {
	if IsLarge(data) {
		return markOf(data)
	}
	return base64.StdEncoding.EncodeToString(data)
}

// IsLarge reports whether [Inline] returns a mark, which is good for one request only.
func IsLarge(data []byte) bool { return len(data) >= inlineFrom }

// markOf names data by where they lie. They lie there as long as the request does that
// holds them.
func markOf(data []byte) string { return fmt.Sprintf("%s%p-%d%c", markBegin, data, len(data), markEnd) }

// marked are the large data of a request, by their marks.
func marked(req *Request) (all map[string][]byte) {
	add := func(m *Media) {
		if IsLarge(m.Data) {
			if all == nil {
				all = map[string][]byte{}
			}
			all[markOf(m.Data)] = m.Data
		}
	}
	for _, m := range req.Messages {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case Media:
				add(&p)
			case ToolResult:
				for i := range p.Media {
					add(&p.Media[i])
				}
			}
		}
	}
	return all
}

// inlineMedia returns a request whose body has media in the place of their marks.
func inlineMedia(req *http.Request, media map[string][]byte) (*http.Request, error) {
	var document [][]byte
	if body, ok := req.Body.(*pieces); ok {
		document = body.rest
	} else {
		all, err := io.ReadAll(req.Body)
		_ = req.Body.Close()
		if err != nil {
			return nil, err
		}
		document = [][]byte{all}
	}
	var parts []inlined
	for _, piece := range document {
		parts = split(parts, piece, media)
	}
	out := *req
	out.GetBody = func() (io.ReadCloser, error) { return &mixed{parts: parts}, nil }
	body := &mixed{parts: parts}
	out.Body, out.ContentLength = body, body.Len()
	return &out, nil
}

// inlined is a part of a document: text as it is, or data that are sent in base64.
type inlined struct {
	bytes []byte
	data  bool
}

func (p inlined) size() int64 {
	if p.data {
		return int64(base64.StdEncoding.EncodedLen(len(p.bytes)))
	}
	return int64(len(p.bytes))
}

// split appends the parts of a piece of a document.
func split(parts []inlined, piece []byte, media map[string][]byte) []inlined {
	for {
		at := bytes.Index(piece, []byte(markBegin))
		if at < 0 {
			return append(parts, inlined{bytes: piece})
		}
		end := bytes.IndexByte(piece[at:], markEnd)
		data, ok := media[string(piece[at:at+end+1])]
		if !ok { // not reached: nobody else knows how marks begin
			return append(parts, inlined{bytes: piece})
		}
		parts = append(parts, inlined{bytes: piece[:at]}, inlined{data, true})
		piece = piece[at+end+1:]
	}
}

// mixed is a body of text and of data that become base64 as they are sent.
type mixed struct {
	parts []inlined
	read  int    // bytes of the first part
	ready []byte // base64 that was encoded and not read yet
	chunk []byte // what ready lies in
}

// inlineChunk is how many bytes are encoded at once, a multiple of three.
const inlineChunk = 3 << 12

func (m *mixed) Close() error { return nil }

// Len is how much has not been read yet.
func (m *mixed) Len() int64 {
	n := int64(len(m.ready))
	for i, p := range m.parts {
		if i == 0 {
			p.bytes = p.bytes[m.read:]
		}
		n += p.size()
	}
	return n
}

func (m *mixed) Read(to []byte) (n int, err error) {
	for n < len(to) {
		if len(m.ready) == 0 && !m.next() {
			break
		}
		some := copy(to[n:], m.ready)
		m.ready = m.ready[some:]
		n += some
	}
	if n == 0 && len(to) > 0 {
		err = io.EOF
	}
	return n, err
}

// WriteTo sends text without a copy.
func (m *mixed) WriteTo(w io.Writer) (total int64, err error) {
	for len(m.ready) > 0 || m.next() {
		n, err := w.Write(m.ready)
		total += int64(n)
		m.ready = m.ready[n:]
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// next makes more ready, and reports false at the end.
func (m *mixed) next() bool {
	for len(m.parts) > 0 {
		rest := m.parts[0].bytes[m.read:]
		if len(rest) == 0 {
			m.parts, m.read = m.parts[1:], 0
			continue
		}
		if !m.parts[0].data {
			m.ready, m.read = rest, m.read+len(rest)
			return true
		}
		rest = rest[:min(len(rest), inlineChunk)]
		m.read += len(rest)
		m.chunk = base64.StdEncoding.AppendEncode(m.chunk[:0], rest)
		m.ready = m.chunk
		return true
	}
	return false
}
