package httpapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/httpapi/web"
)

// paged gives the parameters of pages to a route that answers with a whole list, so that
// every list of the API has them. Without a limit it still answers with all.
func (r route) paged() route {
	whole := r.Answers[http.StatusOK]
	if !strings.HasPrefix(r.pattern, http.MethodGet+" ") || r.isList() || whole == nil || whole.Properties["items"] == nil {
		return r
	}
	part := *whole
	part.Properties = maps.Clone(whole.Properties)
	part.Properties["next"] = openapi.Next()
	r.Query = append(slices.Clone(r.Query), Paging()...)
	r.Answers = maps.Clone(r.Answers)
	r.Answers[http.StatusOK] = &part
	r.do = paging(r.do)
	return r
}

// paging cuts the list of a handler that knows no pages to the page that the client wants.
func paging(whole handler) handler {
	return func(s *server, r *http.Request) (response, error) {
		limit, err := limitOf(r.URL.Query().Get("limit"))
		cursor := r.URL.Query().Get("cursor")
		if err != nil {
			return response{}, err
		}
		res, err := whole(s, r)
		if err != nil || limit == 0 && cursor == "" {
			return res, err
		}
		var body map[string]json.RawMessage
		var items []json.RawMessage
		if err := json.Unmarshal(web.Encode(res.body), &body); err != nil {
			return response{}, err
		}
		if err := json.Unmarshal(body["items"], &items); err != nil {
			return response{}, err
		}
		from, err := after(items, cursor)
		if err != nil {
			return response{}, err
		}
		items = items[from:]
		if limit > 0 && limit < len(items) {
			items = items[:limit]
			body["next"] = web.Encode(fmt.Sprintf("%d.%x", from+limit, sign(items[limit-1])))
		}
		body["items"] = web.Encode(items)
		res.body = body
		return res, nil
	}
}

// after is where the items begin that come after those of a page. The cursor has the place
// and the sign of the last item of the page, so that nothing is told twice or left out
// when others come and go before it.
func after(items []json.RawMessage, cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	var n int
	var last uint64
	if _, err := fmt.Sscanf(cursor, "%d.%x", &n, &last); err != nil || n < 1 {
		return 0, nestor.Errorf(nestor.CodeInvalid, "the cursor does not belong to this list: pass on the next of its last page")
	}
	if n <= len(items) && sign(items[n-1]) == last {
		return n, nil
	}
	if i := slices.IndexFunc(items, func(item json.RawMessage) bool { return sign(item) == last }); i >= 0 {
		return i + 1, nil
	}
	return min(n-1, len(items)), nil // it is gone, and the next has its place
}

// sign tells an item from others, whatever else changes about it.
func sign(item json.RawMessage) uint64 {
	var named struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		Day  string `json:"day"`
	}
	text := string(item)
	if json.Unmarshal(item, &named) == nil {
		text = cmp.Or(named.ID, named.Name, named.Day, text)
	}
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}
