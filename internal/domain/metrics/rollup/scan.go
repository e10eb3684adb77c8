package rollup

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/metrics/record"
	"github.com/nestorhq/nestor/internal/store"
)

// scanPage is how many roll-ups are read together.
const scanPage = 200

// between asks for roll-ups by a range of ids.
func between(owner record.Owner, first, end string, limit int) store.Query {
	return store.Query{
		Collection: owner.Rollups(), Limit: limit, OrderBy: []store.Order{{Field: "id"}},
		Where: &store.Filter{And: []store.Filter{*store.Where("id", store.Ge, first), *store.Where("id", store.Lt, end)}},
	}
}

// scan calls fn with the roll-ups of a name that start between two moments: when they
// start, and their series as text.
func scan(r store.Reader, owner record.Owner, l record.Level, name string, from, to int64, fn func(d *nestor.Document, start int64, text []byte) error) error {
	first, end := record.RollupRange(name, l, from, to)
	for q := between(owner, first, end, scanPage); ; {
		page, err := r.Query(q)
		if err != nil {
			return err
		}
		for _, d := range page.Items {
			start, text, err := record.SeriesOf(d)
			if err != nil {
				return err
			}
			if err := fn(d, start, text); err != nil {
				return err
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return nil
		}
	}
}

// one is the first roll-up of a name that starts between two moments, nil if there is
// none.
func one(r store.Reader, owner record.Owner, l record.Level, name string, from, to int64) (*nestor.Document, error) {
	first, end := record.RollupRange(name, l, from, to)
	page, err := r.Query(between(owner, first, end, 1))
	if err != nil || len(page.Items) == 0 {
		return nil, err
	}
	return page.Items[0], nil
}

// blocks calls fn with all blocks of an owner.
func blocks(r store.Reader, owner record.Owner, fn func(record.Block) error) error {
	for q := (store.Query{Collection: owner.Blocks(), Limit: scanPage}); ; {
		page, err := r.Query(q)
		if err != nil {
			return err
		}
		for _, d := range page.Items {
			b, err := nestor.As[record.Block](d)
			if err != nil {
				return err
			}
			if err := fn(b); err != nil {
				return err
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return nil
		}
	}
}
