package store

import (
	"encoding/binary"
	"encoding/json"
	"slices"

	"github.com/nestorhq/nestor"
)

// An entry of the log is many times smaller than what it tells of. So it has a number
// for its type, and path and replaced document are packed (see pack).

// changeTypes are the types of changes by their number in the log, from 1 on.
var changeTypes = []nestor.ChangeType{nestor.Create, nestor.Update, nestor.Delete}

// LogEntry is a change as the log keeps it.
type LogEntry struct {
	Seq     int64
	Type    int64
	Path    []byte
	Version int64
	At      int64
	// Replaces is the seq of the document that was replaced: by it the entry is found
	// that has the document which an earlier change left. Replaced is that document.
	// Nil if there was none, or nobody follows it.
	Replaces *int64
	Replaced []byte
}

// LogEntry is what the log keeps of a change.
func (c *Catalogue) LogEntry(ch *nestor.Change) LogEntry {
	e := LogEntry{
		Seq: ch.Seq, Type: int64(slices.Index(changeTypes, ch.Type) + 1), Path: pack(nil, string(ch.Path)), Version: ch.Version, At: ch.At,
	}
	if ch.Before != nil && !c.Of(ch.Path).Unfollowed {
		e.Replaces, e.Replaced = &ch.Before.Seq, c.packReplaced(ch.Before)
	}
	return e
}

// Change is the change of an entry, as far as the entry tells and is wanted to.
func (c *Catalogue) Change(e *LogEntry, wanted func(nestor.Path) bool) (nestor.Change, error) {
	ch := nestor.Change{Seq: e.Seq, Version: e.Version, At: e.At}
	path, err := unpack(e.Path)
	if ch.Path = nestor.Path(path); err != nil || e.Type < 1 || int(e.Type) > len(changeTypes) {
		return ch, nestor.Errorf(nestor.CodeInternal, "entry %d of the log is damaged: type %d, %v", e.Seq, e.Type, err)
	}
	ch.Type = changeTypes[e.Type-1]
	if e.Replaced != nil && (ch.Type == nestor.Delete || wanted == nil || wanted(ch.Path)) {
		ch.Before, err = c.UnpackReplaced(ch.Path, e.Replaced)
	}
	return ch, err
}

// packedDocument is how a packed document begins. Older programs wrote JSON, which begins
// with a brace.
const packedDocument = 1

// packReplaced is what the log keeps of d.
func (c *Catalogue) packReplaced(d *nestor.Document) []byte {
	body := c.Of(d.Path).RowBody(d)
	b := append(make([]byte, 0, 40+len(body)), packedDocument)
	for _, n := range []int64{d.Version, d.Seq, d.CreatedSeq, d.CreatedAt, d.UpdatedAt - d.CreatedAt} {
		b = binary.AppendVarint(b, n)
	}
	return slices.Clip(pack(b, string(body)))
}

// UnpackReplaced reads a document of the log.
func (c *Catalogue) UnpackReplaced(p nestor.Path, packed []byte) (*nestor.Document, error) {
	if len(packed) > 0 && packed[0] != packedDocument {
		return c.DecodeReplaced(p, packed)
	}
	var numbers [5]int64
	rest := packed[min(1, len(packed)):]
	for i := range numbers {
		n, length := binary.Varint(rest)
		if length <= 0 {
			return nil, damaged(p, errPacked)
		}
		numbers[i], rest = n, rest[length:]
	}
	body, err := unpack(rest)
	if err == nil && !json.Valid(body) {
		err = errPacked
	}
	if err != nil {
		return nil, damaged(p, err)
	}
	return &nestor.Document{
		Path: p, Version: numbers[0], Seq: numbers[1], CreatedSeq: numbers[2], CreatedAt: numbers[3], UpdatedAt: numbers[3] + numbers[4],
		Data: c.Of(p).Data(p, body),
	}, nil
}

func damaged(p nestor.Path, err error) error {
	return nestor.Errorf(nestor.CodeInternal, "the log entry of %s is damaged: %w", p, err)
}
