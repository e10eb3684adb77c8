package store

import (
	"encoding/json"
	"strconv"

	"github.com/nestorhq/nestor"
)

// A row keeps a document's body without the ids on its path, which are columns
// already. Above the store every document carries them as plain fields.

// RowBody is the body as the collection's table keeps it.
func (c *Collection) RowBody(d *nestor.Document) []byte {
	n := c.prefixLen(d.Path)
	if n == 0 {
		return d.Data
	}
	if rest := d.Data[n:]; rest[0] == ',' {
		return append([]byte{'{'}, rest[1:]...)
	}
	return []byte("{}")
}

// Data is the body above the store: the ids on the path, then the row's body.
func (c *Collection) Data(p nestor.Path, rowBody []byte) json.RawMessage {
	if len(c.Keys) == 0 {
		return rowBody
	}
	return c.data(c.KeyValues(p), rowBody)
}

func (c *Collection) data(keys []string, rowBody []byte) json.RawMessage {
	if len(c.Keys) == 0 {
		return rowBody
	}
	b := make([]byte, 0, len(rowBody)+c.keysLen(keys))
	for i, v := range keys {
		sep := byte(',')
		if i == 0 {
			sep = '{'
		}
		b = append(b, sep, '"')
		b = append(b, c.Keys[i].Field...)
		b = append(b, `":"`...)
		b = append(b, v...)
		b = append(b, '"')
	}
	if len(rowBody) <= 2 {
		return append(b, '}')
	}
	b = append(b, ',')
	return append(b, rowBody[1:]...)
}

// Identity is a document's place in its table: the values of KeyColumns and id.
func (c *Collection) Identity(p nestor.Path) []any {
	if c == UserDocuments {
		return []any{p.Collection(), p.ID()}
	}
	args := make([]any, 0, len(c.Keys)+1)
	for _, v := range c.KeyValues(p) {
		args = append(args, v)
	}
	return append(args, p.ID())
}

// Scan reads a row of [Collection.Selected].
func (c *Collection) Scan(scan func(...any) error) (*nestor.Document, error) {
	return c.scan(nil, scan)
}

// scan reads a row of [Collection.Selected] without the columns of the first keys, which are known.
func (c *Collection) scan(known []string, scan func(...any) error) (*nestor.Document, error) {
	d := &nestor.Document{}
	keys := make([]string, max(1, len(c.Keys)))
	var id string
	var body []byte
	lent := make([][]byte, len(c.Borrows))
	dest := make([]any, 0, len(keys)+7+len(lent))
	for i := copy(keys, known); i < len(keys); i++ {
		dest = append(dest, &keys[i])
	}
	dest = append(dest, &id, &d.Version, &d.Seq, &d.CreatedSeq, &d.CreatedAt, &d.UpdatedAt, &body)
	for i := range lent {
		dest = append(dest, &lent[i])
	}
	if err := scan(dest...); err != nil {
		return nil, err
	}
	body, err := c.whole(body, lent)
	if err != nil {
		return nil, err
	}
	if c == UserDocuments {
		d.Path = nestor.Path(keys[0] + "/" + id)
	} else {
		d.Path = c.Path(keys, id)
	}
	d.Data = c.data(keys, body)
	return d, nil
}

// Load reads the row of the document at p by [Collection.LoadColumns].
func (c *Collection) Load(p nestor.Path, scan func(...any) error) (*nestor.Document, error) {
	d := &nestor.Document{Path: p}
	var body []byte
	lent := make([][]byte, len(c.Borrows))
	dest := append(make([]any, 0, 6+len(lent)), &d.Version, &d.Seq, &d.CreatedSeq, &d.CreatedAt, &d.UpdatedAt, &body)
	for i := range lent {
		dest = append(dest, &lent[i])
	}
	if err := scan(dest...); err != nil {
		return nil, err
	}
	body, err := c.whole(body, lent)
	if err != nil {
		return nil, err
	}
	d.Data = c.Data(p, body)
	return d, nil
}

// LoadColumns are those of [Collection.Selected] that the path does not tell.
func (c *Collection) LoadColumns(d Dialect) []string { return c.Selected(d)[len(c.KeyColumns())+1:] }

// prefixLen is the length of what Data puts before the row's body.
func (c *Collection) prefixLen(p nestor.Path) int {
	if len(c.Keys) == 0 {
		return 0
	}
	return c.keysLen(c.KeyValues(p))
}

func (c *Collection) keysLen(keys []string) int {
	n := 0
	for i, v := range keys {
		n += len(`,"":""`) + len(c.Keys[i].Field) + len(v)
	}
	return n
}

// replaced is a document with its numbers, as jobs keep it, and as the log of older
// programs does.
type replaced struct {
	Version    int64           `json:"version"`
	Seq        int64           `json:"seq"`
	CreatedSeq int64           `json:"createdSeq"` // 0 in what was logged before there was one
	CreatedAt  int64           `json:"createdAt"`
	UpdatedAt  int64           `json:"updatedAt"`
	Body       json.RawMessage `json:"body"`
}

// EncodeReplaced gives that form of d.
func (c *Catalogue) EncodeReplaced(d *nestor.Document) []byte {
	body := c.Of(d.Path).RowBody(d)
	b := make([]byte, 0, len(body)+120)
	b = append(b, `{"version":`...)
	b = strconv.AppendInt(b, d.Version, 10)
	b = append(b, `,"seq":`...)
	b = strconv.AppendInt(b, d.Seq, 10)
	b = append(b, `,"createdSeq":`...)
	b = strconv.AppendInt(b, d.CreatedSeq, 10)
	b = append(b, `,"createdAt":`...)
	b = strconv.AppendInt(b, d.CreatedAt, 10)
	b = append(b, `,"updatedAt":`...)
	b = strconv.AppendInt(b, d.UpdatedAt, 10)
	b = append(b, `,"body":`...)
	b = append(b, body...)
	return append(b, '}')
}

// DecodeReplaced reads what EncodeReplaced wrote.
func (c *Catalogue) DecodeReplaced(p nestor.Path, text []byte) (*nestor.Document, error) {
	var r replaced
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, damaged(p, err)
	}
	return &nestor.Document{
		Path: p, Version: r.Version, Seq: r.Seq, CreatedSeq: r.CreatedSeq, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
		Data: c.Of(p).Data(p, r.Body),
	}, nil
}
