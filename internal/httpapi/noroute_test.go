package httpapi_test

import (
	"io"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestWhatNoRouteDoesIsAnErrorLikeOthers(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{})
	a.seed("local", "c1")
	for request, want := range map[string]struct {
		status      int
		code, allow string
	}{
		"GET /nowhere":                {404, "not_found", ""},
		"POST /chats/c1/nothing":      {404, "not_found", ""},
		"PUT /chats":                  {405, "invalid", "GET, POST"},
		"POST /chats/c1":              {405, "invalid", "GET, PATCH, DELETE"},
		"GET /query":                  {405, "invalid", "POST"},
		"PUT /chats/c1/tasks/t/pause": {405, "invalid", "POST"},
		"OPTIONS /chats":              {405, "invalid", "GET, POST"},
		"TRACE /chats":                {405, "invalid", "GET, POST"},
	} {
		method, path, _ := strings.Cut(request, " ")
		res := a.request(method, path, "")
		body, _ := io.ReadAll(res.Body)
		if res.StatusCode != want.status || res.Header.Get("Allow") != want.allow || !strings.Contains(string(body), `"code":"`+want.code+`"`) {
			t.Errorf("%s: %d, Allow %q, %s", request, res.StatusCode, res.Header.Get("Allow"), body)
		}
	}
}
