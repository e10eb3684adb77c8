package connections

import (
	"encoding/json"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/store"
)

// The calls that connections have as records of every kind do. The connections of
// the environment and of the program are no documents, so they are no records.

// connectionBatch is several new connections.
type connectionBatch struct {
	Records []modelConnection `json:"records"`
}

func (m *modelConnection) secrets() connection.Secrets {
	return connection.Secrets{Secret: m.Secret, Headers: m.Headers}
}

func recordAt(r *httpapi.Request, id string) nestor.Path { return connection.PathOf(r.UserID(), id) }

// named is where the connection lies that the URL names.
func named(r *httpapi.Request) (nestor.Path, error) {
	id := r.PathValue("id")
	return recordAt(r, id), nestor.CheckID(id)
}

func (c *Connections) postRecord(r *httpapi.Request) (any, error) {
	var said modelConnection
	if err := r.Decode(&said); err != nil {
		return nil, err
	}
	var err error
	if said.ID, err = httpapi.NewRecordID(said.ID); err != nil {
		return nil, err
	}
	return r.WriteRecord(recordAt(r, said.ID), func(tx store.Tx) (*nestor.Document, error) {
		return c.models.CreateIn(tx, r.UserID(), said.Connection, said.secrets())
	})
}

func (c *Connections) postRecords(r *httpapi.Request) (any, error) {
	var said connectionBatch
	if err := r.Decode(&said); err != nil {
		return nil, err
	}
	if err := r.CheckBatch(len(said.Records)); err != nil {
		return nil, err
	}
	for i := range said.Records {
		one := &said.Records[i]
		var err error
		if one.ID, err = httpapi.NewRecordID(one.ID); err == nil {
			err = r.MayAct(recordAt(r, one.ID))
		}
		if err != nil {
			return nil, httpapi.InBatch(i, err)
		}
	}
	made := make([]*nestor.Document, len(said.Records))
	at := 0 // the connection under way
	err := r.Act(recordAt(r, said.Records[0].ID), func(tx store.Tx) (err error) {
		for i := range said.Records {
			at = i
			if made[i], err = c.models.CreateIn(tx, r.UserID(), said.Records[i].Connection, said.Records[i].secrets()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, httpapi.InBatch(at, err)
	}
	return httpapi.List[*nestor.Document]{Items: made}, nil
}

func (c *Connections) listRecords(r *httpapi.Request) (any, error) {
	limit, cursor, err := r.Page()
	if err != nil {
		return nil, err
	}
	var page store.Page
	err = r.View(func(docs store.Reader) (err error) {
		page, err = docs.Query(store.Query{Collection: recordAt(r, "any").Collection(), Limit: limit, Cursor: cursor})
		return err
	})
	if err != nil {
		return nil, err
	}
	items, err := c.models.Show(r.Context(), r.UserID(), page.Items...)
	return httpapi.List[*nestor.Document]{Items: items, Next: page.Next}, err
}

func (c *Connections) countRecords(r *httpapi.Request) (any, error) {
	return r.Count(store.Query{Collection: recordAt(r, "any").Collection()})
}

func (c *Connections) streamRecords(r *httpapi.Request) (any, error) {
	return httpapi.StreamRecords(recordAt(r, "any").Collection(), func(d *nestor.Document) (any, error) {
		items, err := c.models.Show(r.Context(), r.UserID(), d)
		if err != nil {
			return nil, err
		}
		return items[0], nil
	}), nil
}

func (c *Connections) getRecord(r *httpapi.Request) (any, error) {
	p, err := named(r)
	if err != nil {
		return nil, err
	}
	d, err := r.Get(p)
	if err != nil {
		return nil, err
	}
	items, err := c.models.Show(r.Context(), r.UserID(), d)
	if err != nil {
		return nil, err
	}
	return items[0], nil
}

func (c *Connections) patchRecord(r *httpapi.Request) (any, error) {
	p, err := named(r)
	if err != nil {
		return nil, err
	}
	version, err := r.IfMatch()
	if err != nil {
		return nil, err
	}
	var patch json.RawMessage
	if err := r.Decode(&patch); err != nil {
		return nil, err
	}
	var said modelConnection
	if err := web.Decode(patch, &said); err != nil {
		return nil, err
	}
	return r.WriteRecord(p, func(tx store.Tx) (*nestor.Document, error) {
		return c.models.PatchIn(tx, r.UserID(), p.ID(), patch, said.secrets(), version)
	})
}

func (c *Connections) cloneRecord(r *httpapi.Request) (any, error) {
	from, err := named(r)
	if err != nil {
		return nil, err
	}
	id, err := r.CloneID()
	if err != nil {
		return nil, err
	}
	if err := r.MayAct(from); err != nil { // the copy calls what it calls, with its secret
		return nil, err
	}
	return r.WriteRecord(recordAt(r, id), func(tx store.Tx) (*nestor.Document, error) {
		return c.models.CloneIn(tx, r.UserID(), from.ID(), id)
	})
}
