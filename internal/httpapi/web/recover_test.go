package web_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/httpapi/web"
)

func TestAPanicFailsItsRequestOnly(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	failures := web.NewFailures(access.New(access.Options{Logger: logger}), logger)
	mux := http.NewServeMux()
	mux.HandleFunc("/at-once", func(http.ResponseWriter, *http.Request) { panic("at once") })
	mux.HandleFunc("/midway", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"half":`)
		panic("midway")
	})
	mux.HandleFunc("/well", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "well") })
	s := httptest.NewServer(web.NameRequests(web.Compress(web.Recover(mux, failures))))
	defer s.Close()
	for path, want := range map[string]string{
		"/at-once": `"code":"internal","message":"something went wrong on the server; its log says what"`, "/midway": "", "/well": "well",
	} {
		res, err := http.Get(s.URL + path)
		var body []byte
		if err == nil {
			body, err = io.ReadAll(res.Body)
			res.Body.Close()
		}
		switch {
		case want == "" && err == nil:
			t.Errorf("%s: the client takes %q for all", path, body)
		case want != "" && (err != nil || !strings.Contains(string(body), want)):
			t.Errorf("%s: %s, %v", path, body, err)
		}
	}
	for _, want := range []string{"panic: at once", "path=/at-once", "panic: midway", "path=/midway", "recover_test.go"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %q: %s", want, log.String())
		}
	}
}
