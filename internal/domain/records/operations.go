package records

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/records/record"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// at is where the caller's record of an id lies.
func (k kind) at(r *httpapi.Request, id string) (nestor.Path, error) {
	if err := nestor.CheckID(id); err != nil {
		return "", err
	}
	return nestor.ParsePath(string(record.Of(r.UserID()).Child(k.folder, id)))
}

// named is where the record lies that the URL names.
func (k kind) named(r *httpapi.Request) (nestor.Path, error) { return k.at(r, r.PathValue("id")) }

// fresh is where a new record is to lie.
func (k kind) fresh(r *httpapi.Request, id string) (nestor.Path, error) {
	id, err := httpapi.NewRecordID(id)
	if err != nil {
		return "", err
	}
	return k.at(r, id)
}

func (k kind) create(r *httpapi.Request) (any, error) {
	said, err := k.read(r)
	if err != nil {
		return nil, err
	}
	p, err := k.fresh(r, said.id())
	if err != nil {
		return nil, err
	}
	return r.WriteRecord(p, func(tx store.Tx) (*nestor.Document, error) {
		d, err := said.write(tx, p)
		return d, k.complete(tx, err, d)
	})
}

// complete does what else there is to do about new records, unless they could not be
// made.
func (k kind) complete(tx store.Tx, err error, made ...*nestor.Document) error {
	if err != nil || k.made == nil {
		return err
	}
	return k.made(tx, made)
}

func (k kind) createMany(r *httpapi.Request) (any, error) {
	all, err := k.readBatch(r)
	if err != nil {
		return nil, err
	}
	if err := r.CheckBatch(len(all)); err != nil {
		return nil, err
	}
	paths := make([]nestor.Path, len(all))
	for i, said := range all {
		if paths[i], err = k.fresh(r, said.id()); err == nil {
			err = r.MayAct(paths[i])
		}
		if err != nil {
			return nil, httpapi.InBatch(i, err)
		}
	}
	made := make([]*nestor.Document, len(all))
	at := 0 // the record under way
	err = r.Act(paths[0], func(tx store.Tx) (err error) {
		for i, said := range all {
			at = i
			if made[i], err = said.write(tx, paths[i]); err != nil {
				return err
			}
			// A query makes the store write what it holds back, so that what is wrong
			// is found now.
			if _, err := tx.Query(store.Query{Collection: paths[i].Collection(), Limit: 1}); err != nil {
				return err
			}
		}
		return k.complete(tx, nil, made...)
	})
	if err != nil {
		return nil, httpapi.InBatch(at, err)
	}
	return httpapi.List[*nestor.Document]{Items: made}, nil
}

// query asks for the caller's records, as the URL narrows them.
func (k kind) query(r *httpapi.Request) (q store.Query, err error) {
	q.Collection = string(record.Of(r.UserID())) + "/" + k.folder
	if k.where != nil {
		q.Where, err = k.where(r)
	}
	return q, err
}

func (k kind) list(r *httpapi.Request) (any, error) {
	q, err := k.query(r)
	if err != nil {
		return nil, err
	}
	return list(r, q)
}

// list answers with a page of a query.
func list(r *httpapi.Request, q store.Query) (any, error) {
	var err error
	if q.Limit, q.Cursor, err = r.Page(); err != nil {
		return nil, err
	}
	var page store.Page
	err = r.View(func(docs store.Reader) (err error) {
		page, err = docs.Query(q)
		return err
	})
	return httpapi.List[*nestor.Document]{Items: page.Items, Next: page.Next}, err
}

func (k kind) count(r *httpapi.Request) (any, error) {
	q, err := k.query(r)
	if err != nil {
		return nil, err
	}
	return r.Count(q)
}

func (k kind) get(r *httpapi.Request) (any, error) {
	p, err := k.named(r)
	if err != nil {
		return nil, err
	}
	if k.show != nil {
		return k.show(r, p)
	}
	d, err := r.Get(p)
	if err != nil {
		return nil, err
	}
	return d, nil
}

func (k kind) update(r *httpapi.Request) (any, error) {
	p, err := k.named(r)
	if err != nil {
		return nil, err
	}
	version, err := r.IfMatch()
	if err != nil {
		return nil, err
	}
	change, err := k.readChange(r)
	if err != nil {
		return nil, err
	}
	return r.WriteRecord(p, func(tx store.Tx) (*nestor.Document, error) {
		if k.mayChange != nil {
			if err := k.mayChange(tx, p); err != nil {
				return nil, err
			}
		}
		return tx.Patch(p, change, version)
	})
}

func (k kind) delete(r *httpapi.Request) (any, error) {
	p, err := k.named(r)
	if err != nil {
		return nil, err
	}
	version, err := r.IfMatch()
	if err != nil {
		return nil, err
	}
	return nil, r.Act(p, func(tx store.Tx) error {
		if k.remove != nil {
			return k.remove(tx, p, version)
		}
		return tx.Delete(p, version)
	})
}

func (k kind) copy(r *httpapi.Request) (any, error) {
	from, err := k.named(r)
	if err != nil {
		return nil, err
	}
	id, err := r.CloneID()
	if err != nil {
		return nil, err
	}
	p, err := k.at(r, id)
	if err != nil {
		return nil, err
	}
	if _, err := r.Get(from); err != nil { // a key may be for the copy alone
		return nil, err
	}
	return r.WriteRecord(p, func(tx store.Tx) (*nestor.Document, error) {
		d, err := tx.Get(from)
		if err != nil {
			return nil, err
		}
		d, err = k.clone(tx, d, p)
		return d, k.complete(tx, err, d)
	})
}

func (k kind) stream(r *httpapi.Request) (any, error) {
	p, err := k.at(r, "stream")
	return httpapi.StreamRecords(p.Collection(), func(d *nestor.Document) (any, error) { return d, nil }), err
}
