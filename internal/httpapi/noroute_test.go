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

func TestAParameterThatARouteDoesNotHaveIsRefused(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{})
	a.seed("local", "c1")
	a.want(400, "GET", "/chats/c1/tasks?limt=5", "", `has no parameter \"limt\"; there are: limit, cursor`)
	a.want(400, "GET", "/chats/c1/tasks?limit=5&.x=1", "", `"field":".x"`)
	a.want(400, "GET", "/chats/c1/tasks?limit.x=5", "", `"field":"limit.x"`)
	a.want(400, "GET", "/chats?limit=%zz", "", "cannot be read")
	a.want(400, "GET", "/chats?limit=1;cursor=x", "", "cannot be read")
	a.want(400, "GET", "/replication/chats/pull?limt=3", "", `has no parameter \"limt\"`)
	a.want(400, "GET", "/me?b=1&a=1", "", `"field":"a"`)
	a.want(400, "GET", "/me?full=1", "", "it has none")
	a.want(400, "POST", "/chats?title=x", "{}", `has no parameter \"title\"`)
	if chats := a.want(200, "GET", "/chats?limit=100", "", "")["items"].([]any); len(chats) != 1 {
		t.Errorf("a request that was refused made a chat: there are %d", len(chats))
	}
}
