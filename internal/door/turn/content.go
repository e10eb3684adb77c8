package turn

import (
	"bytes"
	"encoding/base64"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/file"
)

// Piece is a part of what a client says: a text, or a file.
type Piece struct {
	Text string
	// Name and Type are what the client says of a file, and Data is the file. FileID
	// is one that was uploaded before.
	Name, Type string
	Data       []byte
	FileID     string
}

// FileOf is the file in a URL of the scheme data. Other addresses are refused: the server
// fetches nothing for its callers.
func FileOf(name, kind, url string) (p Piece, err error) {
	rest, ok := strings.CutPrefix(url, "data:")
	head, data, comma := strings.Cut(rest, ",")
	declared, coded := strings.CutSuffix(head, ";base64")
	if !ok || !comma || !coded {
		return p, nestor.Errorf(nestor.CodeInvalid, "a file is sent as a URL of the form data:TYPE;base64,BYTES: no other is fetched").With("field", "messages")
	}
	if kind == "" {
		kind = declared
	}
	return Base64(name, kind, data)
}

// Base64 is the file whose bytes are encoded in a text.
func Base64(name, kind, text string) (p Piece, err error) {
	p = Piece{Name: name, Type: kind}
	if p.Data, err = base64.StdEncoding.DecodeString(text); err != nil {
		return p, nestor.Errorf(nestor.CodeInvalid, "the bytes of a file are not in base64: %v", err).With("field", "messages")
	}
	return p, nil
}

// Content is what is said, once its files are saved.
type Content struct {
	text  string
	parts []nestor.Part
}

// Take saves the files of what a client says. A file that is part of no message in the end
// is deleted some time later.
func (t *Thread) Take(pieces []Piece) (c Content, err error) {
	var texts []string
	files := false
	for _, p := range pieces {
		if p.Data == nil && p.FileID == "" {
			texts = append(texts, p.Text)
			c.parts = append(c.parts, nestor.Part{Type: nestor.PartText, Text: p.Text})
			continue
		}
		files = true
		part, err := t.save(p)
		if err != nil {
			return c, err
		}
		c.parts = append(c.parts, part)
	}
	if !files {
		return Content{text: strings.Join(texts, "\n")}, nil
	}
	return c, nil
}

func (t *Thread) save(p Piece) (part nestor.Part, err error) {
	at := nestor.FilePath(t.req.UserID(), p.FileID)
	var d *nestor.Document
	if p.FileID != "" {
		if err := nestor.CheckID(p.FileID); err != nil {
			return part, err
		}
		d, err = t.req.Get(at)
	} else if err = t.req.MayAct(nestor.FilePath(t.req.UserID(), "new")); err == nil {
		d, _, err = t.files.Save(t.req.Context(), file.Upload{UserID: t.req.UserID(), Name: p.Name, Type: p.Type, Body: bytes.NewReader(p.Data)}, t.req.Act)
	}
	if err != nil {
		return part, err
	}
	f, err := nestor.As[nestor.File](d)
	return nestor.Part{Type: nestor.PartTypeOf(f.MediaType), FileID: f.ID, Name: p.Name}, err
}

// sayIn writes what is said into a chat, under an id.
func (t *Thread) sayIn(chat nestor.Path, id string, c Content) (nestor.Message, error) {
	if c.parts != nil {
		return t.req.SayParts(chat, id, c.parts)
	}
	return t.req.Say(chat, id, c.text)
}
