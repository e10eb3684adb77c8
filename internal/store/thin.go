package store

import (
	"context"
	"errors"

	"github.com/nestorhq/nestor"
)

// thinned is how many documents one transaction of [Thin] deletes at most.
const thinned = 500

// Thin deletes documents that lie below p, in small transactions, as long as there are more
// of a kind than one of these takes. So one more transaction can delete what is left together
// with p, however much it was, and others wait for none of them. Kinds are in the order in
// which they go.
func Thin(ctx context.Context, s Documents, p nestor.Path, kinds ...*Collection) error {
	for _, c := range kinds {
		ids, ok := c.Under(p)
		if !ok {
			continue
		}
		below := Query{Flat: c.Name, Where: &Filter{}, Limit: thinned, MaxBytes: MaxPageBytes}
		for i, id := range ids {
			below.Where.And = append(below.Where.And, *Where(c.Keys[i].Field, Eq, id))
		}
		for more := true; more; {
			err := s.Update(ctx, func(tx Tx) error {
				page, err := tx.Query(below)
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
	}
	return nil
}
