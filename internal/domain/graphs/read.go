package graphs

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

var (
	newestFirst = store.Order{Field: "createdAt", Desc: true}
	byID        = store.Order{Field: "id"}
)

// list answers with a page of a collection of the caller.
func list[T, S any](r *httpapi.Request, collection string, order store.Order, where *store.Filter, show func(*T) S) (any, error) {
	answer := httpapi.List[S]{}
	limit, cursor, err := r.Page()
	if err != nil {
		return nil, err
	}
	err = r.View(func(docs store.Reader) error {
		page, err := docs.Query(store.Query{Collection: collection, OrderBy: []store.Order{order}, Where: where, Limit: limit, Cursor: cursor})
		if err != nil {
			return err
		}
		answer.Items, answer.Next = []S{}, page.Next
		for _, d := range page.Items {
			v, err := nestor.As[T](d)
			if err != nil {
				return err
			}
			answer.Items = append(answer.Items, show(&v))
		}
		return nil
	})
	return answer, err
}

// get answers with a document of the caller.
func get[T, S any](r *httpapi.Request, at nestor.Path, show func(*T) S) (shown S, err error) {
	d, err := r.Get(at)
	if err != nil {
		return shown, err
	}
	v, err := nestor.As[T](d)
	return show(&v), err
}
