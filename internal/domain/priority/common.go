package priority

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// ownOf is where the documents of the caller lie.
func ownOf(r *httpapi.Request) nestor.Path { return record.Of(r.UserID()) }

// list answers with a page of a collection of the caller, newest first.
func list[T, S any](r *httpapi.Request, collection string, show func(*T) S) (any, error) {
	answer := httpapi.List[S]{Items: []S{}}
	limit, cursor, err := r.Page()
	if err != nil {
		return nil, err
	}
	err = r.View(func(docs store.Reader) error {
		page, err := docs.Query(store.Query{
			Collection: string(ownOf(r)) + "/" + collection, OrderBy: []store.Order{{Field: "createdAt", Desc: true}}, Limit: limit, Cursor: cursor,
		})
		if err != nil {
			return err
		}
		all, err := as[T](page.Items)
		answer.Items, answer.Next = answer.Items[:0], page.Next
		for i := range all {
			answer.Items = append(answer.Items, show(&all[i]))
		}
		return err
	})
	return answer, err
}

// get answers with a document of the caller.
func get[T, S any](r *httpapi.Request, at nestor.Path, show func(*T) S) (any, error) {
	var shown S
	err := r.View(func(docs store.Reader) error {
		d, err := docs.Get(at)
		if err != nil {
			return err
		}
		v, err := nestor.As[T](d)
		shown = show(&v)
		return err
	})
	return shown, err
}

// remove deletes a document of the caller that must be there.
func remove(r *httpapi.Request, at nestor.Path) error {
	return r.Act(at, func(tx store.Tx) error { return tx.Delete(at, store.AnyVersion) })
}
