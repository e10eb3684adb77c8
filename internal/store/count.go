package store

// Counter is a [Reader] that counts the documents of a query, on all its pages,
// without handing them out.
type Counter interface {
	Count(q Query) (int, error)
}

// countPage is how many documents are looked at together by [Walk].
const countPage = 200

// Count counts the documents that q asks for. A reader that is no [Counter] has all
// of them looked at.
func Count(r Reader, q Query) (int, error) {
	if c, ok := r.(Counter); ok {
		return c.Count(q)
	}
	return Walk(r, q)
}

// Walk counts documents by looking at each.
func Walk(r Reader, q Query) (n int, err error) {
	q.Limit = countPage
	for q.Cursor = ""; ; {
		page, err := r.Query(q)
		if err != nil {
			return 0, err
		}
		n += len(page.Items)
		if q.Cursor = page.Next; q.Cursor == "" {
			return n, nil
		}
	}
}
