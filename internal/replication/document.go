package replication

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// appendDocument gives a document the form that RxDB takes: flat, with a value for each
// field that has an index, and a mark that it is not deleted.
func appendDocument(b []byte, c *store.Collection, d *nestor.Document) []byte {
	text, _ := d.MarshalJSON() // it never fails
	b = append(b, text[:len(text)-1]...)
	return append(b, ending(c, d)...)
}

// ending is what stands instead of the last brace of a document.
func ending(c *store.Collection, d *nestor.Document) string {
	text := ""
	for _, field := range formOf(c).filled {
		if lacks(d, field) {
			text += `,"` + field + `":""`
		}
	}
	return text + `,"_deleted":false}`
}

func lacks(d *nestor.Document, field string) bool {
	if !bytes.Contains(d.Data, []byte(`"`+field+`"`)) {
		return true
	}
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(d.Data, &fields) // it was encoded by the store
	return fields[field] == nil
}

func appendText(b []byte, s string) []byte {
	text, _ := json.Marshal(s) // text always can be
	return append(b, text...)
}

// appendCheckpoint writes a position as the object that RxDB keeps for the
// server. It always has the same one field: RxDB merges each checkpoint into
// the one before.
func appendCheckpoint(b []byte, p store.Position) []byte {
	b = append(b, `{"seq":"`...)
	b = strconv.AppendInt(b, p.Seq, 10)
	if p.Read != p.Seq {
		b = append(b, '-')
		b = strconv.AppendInt(b, p.Read, 10)
	}
	return append(b, `"}`...)
}

// parseCheckpoint reads the seq of a checkpoint; "" is the beginning.
func parseCheckpoint(text string) (store.Position, error) {
	if text == "" {
		return store.Position{}, nil
	}
	complete, read, apart := strings.Cut(text, "-")
	seq, err := strconv.ParseUint(complete, 10, 63)
	p := store.At(int64(seq))
	if err == nil && apart {
		seq, err = strconv.ParseUint(read, 10, 63)
		p.Read = int64(seq)
	}
	if err != nil {
		return store.Position{}, nestor.Errorf(nestor.CodeInvalid, "checkpoint is the seq of the last checkpoint, not %q", text)
	}
	return p, nil
}
