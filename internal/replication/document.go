package replication

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// appendDocument gives a document the form that RxDB takes: flat, with a mark
// that it is not deleted.
func appendDocument(b []byte, d *nestor.Document) []byte {
	text, _ := d.MarshalJSON() // it never fails
	b = append(b, text[:len(text)-1]...)
	return append(b, `,"_deleted":false}`...)
}

// appendTombstone says that the document at p is gone.
func (s *server) appendTombstone(b []byte, p nestor.Path, version, seq, at int64) []byte {
	c := s.kinds.Of(p)
	return appendDeleted(b, c, c.KeyValues(p), p.ID(), version, seq, at)
}

// appendDeleted writes what is left of a deleted document. It has a value for
// every field that the schema requires: some clients check even deleted
// documents.
func appendDeleted(b []byte, c *store.Collection, keys []string, id string, version, seq, at int64) []byte {
	b = appendText(append(b, `{"id":`...), id)
	for i, k := range c.Keys {
		b = append(b, `,"`...)
		b = append(b, k.Field...)
		b = appendText(append(b, `":`...), keys[i])
	}
	b = append(b, blank(c)...)
	b = append(b, `,"version":`...)
	b = strconv.AppendInt(b, version, 10)
	b = append(b, `,"seq":`...)
	b = strconv.AppendInt(b, seq, 10)
	b = append(b, `,"updatedAt":`...)
	b = strconv.AppendInt(b, at, 10)
	return append(b, `,"_deleted":true}`...)
}

func appendText(b []byte, s string) []byte {
	text, _ := json.Marshal(s) // text always can be
	return append(b, text...)
}

// blanks has what blank returned, by collection.
var blanks sync.Map

// blank is the required fields of a collection that a tombstone has no value for.
func blank(c *store.Collection) []byte {
	if known, ok := blanks.Load(c); ok {
		return known.([]byte)
	}
	var schema struct {
		Required   []string
		Properties map[string]struct {
			Type any
			Enum []string
		}
	}
	// A property that cannot be decoded is none of those that are required.
	_ = json.Unmarshal(c.Schema(), &schema)
	b := []byte(`,"createdSeq":0,"createdAt":0`)
	for _, name := range schema.Required {
		b = append(b, `,"`+name+`":`...)
		switch p := schema.Properties[name]; {
		case len(p.Enum) > 0:
			b = appendText(b, p.Enum[0])
		case p.Type == "string":
			b = append(b, `""`...)
		default:
			b = append(b, '0')
		}
	}
	blanks.Store(c, b)
	return b
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
