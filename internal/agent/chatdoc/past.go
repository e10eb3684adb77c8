package chatdoc

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Past is a reader of what had been written when a model was asked for the reply in a
// message: of lists it shows only the documents that were there. What was changed since
// shows as it is now.
func Past(r store.Reader, reply nestor.Meta, m *nestor.MessageMetadata) store.Reader {
	p := past{Reader: r, seq: reply.CreatedSeq, at: reply.CreatedAt}
	if m != nil {
		p.at -= m.DurationMS
	}
	return p
}

type past struct {
	store.Reader
	seq, at int64
}

// Query implements [store.Reader].
func (p past) Query(q store.Query) (store.Page, error) {
	all := []store.Filter{*store.Where("createdSeq", store.Lt, p.seq), *store.Where("createdAt", store.Le, p.at)}
	if q.Where != nil {
		all = append(all, *q.Where)
	}
	q.Where = &store.Filter{And: all}
	return p.Reader.Query(q)
}
