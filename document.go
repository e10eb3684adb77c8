package nestor

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
)

// Document is one stored object. Data is a JSON object without the reserved
// fields, which are the server's and live in the struct.
type Document struct {
	Path Path
	// Version is 1 for a new document and rises by 1 with every write.
	Version int64
	// Seq is the position of the latest write in the change log.
	Seq int64
	// CreatedSeq is the position of the first. It does not change, so it orders
	// what was created at the same time for good.
	CreatedSeq int64
	// CreatedAt and UpdatedAt are Unix milliseconds.
	CreatedAt int64
	UpdatedAt int64
	Data      json.RawMessage
}

// Reserved are the fields of a document's JSON form that belong to the server.
// In what a client sends they are ignored.
var Reserved = []string{"id", "version", "seq", "createdSeq", "createdAt", "updatedAt", "deleted"}

// IsReserved reports whether field is one of [Reserved].
func IsReserved(field string) bool {
	switch field {
	case "id", "version", "seq", "createdSeq", "createdAt", "updatedAt", "deleted":
		return true
	}
	return false
}

// MarshalJSON gives the flat form that clients see: the document's own fields
// between id and the other reserved ones.
func (d *Document) MarshalJSON() ([]byte, error) {
	fields := d.fields()
	b := d.appendHead(make([]byte, 0, len(fields)+160), fields)
	return d.appendTail(append(b, fields...)), nil
}

// Parts are the JSON form of a document in three parts. The middle one is in
// Data and so need not be copied.
func (d *Document) Parts() (head, fields, tail []byte) {
	fields = d.fields()
	return d.appendHead(nil, fields), fields, d.appendTail(nil)
}

// fields is Data less the braces.
func (d *Document) fields() []byte {
	fields := bytes.TrimSpace(d.Data)
	if len(fields) >= 2 {
		fields = bytes.TrimSpace(fields[1 : len(fields)-1])
	}
	return fields
}

func (d *Document) appendHead(b, fields []byte) []byte {
	b = append(b, `{"id":"`...)
	b = append(b, d.Path.ID()...)
	b = append(b, '"')
	if len(fields) > 0 {
		b = append(b, ',')
	}
	return b
}

func (d *Document) appendTail(b []byte) []byte {
	b = appendInt(b, `,"version":`, d.Version)
	b = appendInt(b, `,"seq":`, d.Seq)
	b = appendInt(b, `,"createdSeq":`, d.CreatedSeq)
	b = appendInt(b, `,"createdAt":`, d.CreatedAt)
	b = appendInt(b, `,"updatedAt":`, d.UpdatedAt)
	return append(b, '}')
}

func appendInt(b []byte, name string, n int64) []byte {
	return strconv.AppendInt(append(b, name...), n, 10)
}

// Meta are the reserved fields.
func (d *Document) Meta() Meta {
	return Meta{ID: d.Path.ID(), Version: d.Version, Seq: d.Seq, CreatedSeq: d.CreatedSeq, CreatedAt: d.CreatedAt, UpdatedAt: d.UpdatedAt}
}

// As decodes a document into a new T.
func As[T any](d *Document) (T, error) {
	var v T
	err := d.Decode(&v)
	return v, err
}

// Meta holds the reserved fields in the structs of this package. They are
// filled when a document is read and ignored when it is written.
type Meta struct {
	ID         string `json:"id,omitempty"`
	Version    int64  `json:"version,omitempty"`
	Seq        int64  `json:"seq,omitempty"`
	CreatedSeq int64  `json:"createdSeq,omitempty"`
	CreatedAt  int64  `json:"createdAt,omitempty"`
	UpdatedAt  int64  `json:"updatedAt,omitempty"`
}

// Millis is the time as documents carry it.
func Millis(t time.Time) int64 { return t.UnixMilli() }
