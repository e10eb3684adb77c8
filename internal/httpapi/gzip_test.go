package httpapi_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestLargeAnswersAreCompressedForThoseWhoWantIt(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{})
	a.client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}}
	a.seed("local", "c1")
	for i := range 50 {
		a.write(fmt.Sprintf("users/local/orch-chats/c1/messages/n%d", i), `{"role":"user","content":"the same again and again"}`)
	}
	for name, tt := range map[string]struct {
		path, accepts string
		compressed    bool
	}{
		"a list":                       {"/chats/c1/messages", "gzip", true},
		"a list, among others":         {"/chats/c1/messages", "br, GZIP;q=0.5", true},
		"a list for who wants plain":   {"/chats/c1/messages", "", false},
		"a list for who refuses":       {"/chats/c1/messages", "gzip;q=0, br", false},
		"a list for who writes rather": {"/chats/c1/messages", "x-gzipped", false},
		"a document":                   {"/chats/c1", "gzip", false},
		"an error":                     {"/chats/none", "gzip", false},
	} {
		res := a.request("GET", tt.path, "", "Accept-Encoding", tt.accepts)
		body := io.Reader(res.Body)
		if compressed := res.Header.Get("Content-Encoding") == "gzip"; compressed != tt.compressed {
			t.Errorf("%s: compressed is %v", name, compressed)
		} else if compressed {
			var err error
			if body, err = gzip.NewReader(res.Body); err != nil {
				t.Fatal(err)
			}
			if res.Header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s: Vary is %q", name, res.Header.Get("Vary"))
			}
		}
		var answer map[string]any
		if err := json.NewDecoder(body).Decode(&answer); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	plain, _ := io.ReadAll(a.request("GET", "/chats/c1/messages", "").Body)
	packed, _ := io.ReadAll(a.request("GET", "/chats/c1/messages", "", "Accept-Encoding", "gzip").Body)
	if len(packed)*4 > len(plain) {
		t.Errorf("%d bytes became %d", len(plain), len(packed))
	}
}

func TestEventsAreNotHeldBackByCompression(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{})
	a.client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}}
	s := a.follow("/stream", "Accept-Encoding", "gzip").live()
	a.write("users/local/notes/n1", `{"text":"`+strings.Repeat("x", 5000)+`"}`)
	s.want("create documents n1")
}
