package version

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/records/record"
	"github.com/nestorhq/nestor/internal/store"
)

// Mend links the neighbours of a version that was deleted as any document, without
// its others. Gone is that version.
func Mend(tx store.Tx, gone *nestor.Document) error {
	was, err := nestor.As[record.TextDocument](gone)
	if err != nil {
		return err
	}
	var ids []string
	err = each(tx, gone.Path, was.FirstID, func(d *nestor.Document) error {
		ids = append(ids, d.Path.ID())
		return nil
	})
	if err != nil {
		return err
	}
	for i, id := range ids {
		var previous, next *string
		if i > 0 {
			previous = &ids[i-1]
		}
		if i < len(ids)-1 {
			next = &ids[i+1]
		}
		d, err := tx.Get(at(gone.Path, id))
		if err != nil {
			return err
		}
		v, err := nestor.As[record.TextDocument](d)
		if err != nil {
			return err
		}
		if next == nil && v.NextID != nil { // it may have got a next one since
			if d, err := store.FindDocument(tx, at(gone.Path, *v.NextID)); err != nil {
				return err
			} else if d != nil {
				next = v.NextID
			}
		}
		if same(v.PreviousID, previous) && same(v.NextID, next) {
			continue
		}
		v.PreviousID, v.NextID = previous, next
		if _, err := tx.Put(d.Path, v, store.AnyVersion); err != nil {
			return err
		}
	}
	return nil
}

func same(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
