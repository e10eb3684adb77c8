package httpapi

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
)

// content is what a person says: a text, or parts. Then text is what these say to
// those who read text only.
type content struct {
	text  string
	parts []nestor.Part
}

// contentOf is the content of parts, or of a text if there are none.
func contentOf(text string, parts []nestor.Part) content {
	if len(parts) > 0 {
		text = nestor.TextOf(parts)
	}
	return content{text, parts}
}

// UnmarshalJSON implements [json.Unmarshaler].
func (c *content) UnmarshalJSON(text []byte) error {
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		return json.Unmarshal(text, &c.text)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c.parts); err != nil {
		return err
	}
	*c = contentOf("", c.parts)
	return nil
}

// MarshalJSON implements [json.Marshaler].
func (c content) MarshalJSON() ([]byte, error) {
	if len(c.parts) > 0 {
		return json.Marshal(c.parts)
	}
	return json.Marshal(c.text)
}

// check refuses content that says nothing. What else can be wrong with parts is for
// the transaction that writes them to say.
func (c content) check() error {
	if len(c.parts) == 0 {
		return checkText("content", c.text)
	}
	if !slices.ContainsFunc(c.parts, func(p nestor.Part) bool { return p.FileID != "" || strings.TrimSpace(p.Text) != "" }) {
		return checkText("content", "")
	}
	return nil
}

// same fails unless a message was made by an equal request. The server adds to parts
// what it knows of their files.
func (c content) same(d *nestor.Document) error {
	m, err := nestor.As[nestor.Message](d)
	if err != nil {
		return err
	}
	if !slices.EqualFunc(m.Parts, c.parts, func(has, sent nestor.Part) bool {
		return has.Type == sent.Type && has.Text == sent.Text && has.FileID == sent.FileID && (sent.Name == "" || sent.Name == has.Name)
	}) {
		return nestor.Errorf(nestor.CodeExists, "there is a document %s already, and its parts are others", d.Path)
	}
	return nil
}
