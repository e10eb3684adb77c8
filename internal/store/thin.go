package store

import (
	"context"
	"errors"

	"github.com/nestorhq/nestor"
)

// thinned is how many bytes of documents one transaction of [Thin] deletes, beside what
// lies below them.
const thinned = 8 << 20

// Thin deletes documents of a collection, with what lies below them, a few in a transaction,
// as long as there are more than these. So one more transaction can delete what is left together
// with what it lies below, however much it was, and others wait for none of them.
func Thin(ctx context.Context, s Documents, collection string, few int) error {
	for more := true; more; {
		err := s.Update(ctx, func(tx Tx) error {
			page, err := tx.Query(Query{Collection: collection, Limit: few, MaxBytes: thinned})
			if more = page.Next != ""; err != nil || !more {
				return err
			}
			for _, d := range page.Items {
				if err := tx.Delete(d.Path, AnyVersion); err != nil && !errors.Is(err, nestor.ErrNotFound) {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
