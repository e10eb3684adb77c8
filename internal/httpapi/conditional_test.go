package httpapi_test

import (
	"io"
	"testing"

	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestWhoHasTheLatestVersionIsNotSentItAgain(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		a.seed("local", "c1")
		for _, path := range []string{"/chats/c1", "/docs/users/local/orch-chats/c1/tasks/t1"} {
			for tag, status := range map[string]int{
				`"1"`: 304, `W/"1"`: 304, `"7", "1"`: 304, `*`: 304, `"2"`: 200, `1`: 200, ``: 200,
			} {
				res := a.request("GET", path, "", "If-None-Match", tag)
				body, _ := io.ReadAll(res.Body)
				if res.StatusCode != status || res.Header.Get("ETag") != `"1"` || (len(body) == 0) != (status == 304) {
					t.Errorf("%s with %s: %d, ETag %s, %s", path, tag, res.StatusCode, res.Header.Get("ETag"), body)
				}
			}
		}
		a.want(200, "PATCH", "/chats/c1", `{"title":"x"}`, "", "If-Match", `W/"1"`, "If-None-Match", `"1"`)
		a.want(412, "PATCH", "/chats/c1", `{"title":"y"}`, "", "If-Match", `W/"1"`)
	})
}
