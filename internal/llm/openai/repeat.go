package openai

import (
	"bytes"
	"encoding/json"
	"reflect"
	"unicode/utf8"
)

// repeats decodes the chunks of one reply. Servers send every piece of a text
// in the same words but for the piece itself, so a chunk that is like one
// before need not be taken apart again. Decoding all of them would be a tenth
// of a step.
//
// That is right for two reasons. A frame is used only for a chunk with the same
// bytes before and after one JSON string, so the two differ in that string
// alone. And holds has decoded the frame with another string and found only the
// text changed, so the string decides about the text and about nothing else.
type repeats struct {
	frames []*frame
	tries  int
}

// frame is a chunk in which one text may change.
type frame struct {
	before, after []byte // the text
	chunk         chunk
	text          *string // in the chunk
}

// maxTries bounds what is spent on servers that never repeat themselves.
const maxTries = 4

// decode returns a chunk that counts until the next call.
func (r *repeats) decode(data []byte) (*chunk, error) {
	for _, f := range r.frames {
		if f.fill(data) {
			return &f.chunk, nil
		}
	}
	c, err := decodeChunk(data)
	if err != nil {
		return nil, err
	}
	if r.tries < maxTries {
		if f := newFrame(data, c); f != nil {
			r.tries++
			if f.holds() {
				r.frames = append(r.frames, f)
			}
		}
	}
	return &c, nil
}

// fill puts the text of another chunk into the frame, if it fits.
func (f *frame) fill(data []byte) bool {
	if len(data) < len(f.before)+len(f.after) || !bytes.HasPrefix(data, f.before) || !bytes.HasSuffix(data, f.after) {
		return false
	}
	literal := data[len(f.before) : len(data)-len(f.after)]
	if n := len(literal); n >= 2 && literal[0] == '"' && literal[n-1] == '"' && isPlain(literal[1:n-1]) {
		*f.text = string(literal[1 : n-1])
		return true
	}
	return json.Unmarshal(literal, f.text) == nil && literal[0] == '"'
}

// isPlain reports whether a text stands for itself in JSON.
func isPlain(text []byte) bool {
	for _, b := range text {
		if b < ' ' || b == '"' || b == '\\' {
			return false
		}
	}
	return utf8.Valid(text)
}

// newFrame finds the text that a chunk carries a piece of. It returns nil if
// there is no such text.
func newFrame(data []byte, c chunk) *frame {
	f := &frame{chunk: c}
	key := f.chunk.piece()
	_, rest, ok := bytes.Cut(data, []byte(`"`+key+`":"`))
	if key == "" || !ok {
		return nil
	}
	f.text = f.chunk.text(key)
	end := 0
	for end < len(rest) && rest[end] != '"' {
		if rest[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(rest) {
		return nil
	}
	f.before, f.after = bytes.Clone(data[:len(data)-len(rest)-1]), bytes.Clone(rest[end+1:])
	return f
}

// holds tries another text in the frame, to see that it decides about the field
// and about nothing else.
func (f *frame) holds() bool {
	before := *f.text
	defer func() { *f.text = before }()
	*f.text += "."
	literal, err := json.Marshal(*f.text)
	if err != nil {
		return false
	}
	other, err := decodeChunk(bytes.Join([][]byte{f.before, f.after}, literal))
	return err == nil && reflect.DeepEqual(other, f.chunk)
}

// piece names the field that a chunk carries a piece of, if it is one text.
func (c *chunk) piece() string {
	if len(c.Choices) != 1 {
		return ""
	}
	switch d := &c.Choices[0].Delta; {
	case d.Content.Text != "":
		return "content"
	case len(d.ToolCalls) == 1 && d.ToolCalls[0].Function.Arguments != "":
		return "arguments"
	}
	return ""
}

// text is the field that piece named.
func (c *chunk) text(key string) *string {
	if key == "content" {
		return &c.Choices[0].Delta.Content.Text
	}
	return (*string)(&c.Choices[0].Delta.ToolCalls[0].Function.Arguments)
}
