package app_test

import (
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestorhq/nestor/internal/app"
	"github.com/nestorhq/nestor/internal/httpapi"
)

// Each operation of a batch is a change like any other: triggers fire for those
// that were written, in their order, and for nothing that was refused or repeated.
func TestTriggersFireForWhatABatchWrites(t *testing.T) {
	each(t, func(t *testing.T, cfg app.Config) {
		hook, got := receiver(t, func() int { return 200 })
		cfg.AllowPrivate = true
		cfg.Triggers = triggersFile(t, `{"triggers":[{"id":"hook","collection":"users/*/notes","events":["create","update","delete"],"key":"all","action":"`+hook.URL+`"}]}`)
		s := start(t, cfg)
		const written = `{"operations":[
			{"op":"create","path":"users/u1/notes/a","body":{}},
			{"op":"put","path":"users/u1/notes/b","body":{}},
			{"op":"create","path":"users/u1/other/c","body":{}},
			{"op":"patch","path":"users/u1/notes/a","body":{"x":1}},
			{"op":"delete","path":"users/u1/notes/b"}]}`
		for range 2 { // the second time it is answered again, and nothing is done
			s.want(200, "POST", "/api/v1/batch", written, `"written"`, "Idempotency-Key", "one")
		}
		s.want(409, "POST", "/api/v1/batch", `{"operations":[
			{"op":"create","path":"users/u1/notes/refused","body":{}},
			{"op":"create","path":"users/u1/notes/a","body":{}}]}`, "already_exists")
		s.want(201, "PUT", "/api/v1/docs/users/u1/notes/last", `{}`, "")
		var events []string
		for last := false; !last; {
			body := <-got
			path, _ := body["path"].(string)
			events = append(events, fmt.Sprint(body["event"], " ", strings.TrimPrefix(path, "users/u1/notes/")))
			last = strings.HasSuffix(path, "/last")
		}
		if got, want := strings.Join(events, ", "), "create a, create b, update a, delete b, create last"; got != want {
			t.Errorf("delivered %s, want %s", got, want)
		}
	})
}

// After that time the key is free again, and what the batch wrote is there.
func TestTheAnswerToABatchIsGivenAgainForADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data := t.TempDir()
		sendBatch(t, data, 200, `"version":1`)
		time.Sleep(httpapi.AnswersKept - time.Hour)
		sendBatch(t, data, 200, `"version":1`)
		time.Sleep(time.Hour)
		sendBatch(t, data, 409, "already_exists")
	})
}

// sendBatch sends the same batch to a server that has had a minute to sweep. No
// server runs in between: it would renew its lease all day.
func sendBatch(t *testing.T, data string, status int, contains string) {
	t.Helper()
	const long = token + "-of-more-than-this-machine"
	s, err := app.Open(t.Context(), app.Config{Data: data, Token: long, Unlisted: true, Stdout: io.Discard, Stderr: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	time.Sleep(time.Minute)
	r := httptest.NewRequestWithContext(ctx, "POST", "http://127.0.0.1/api/v1/batch",
		strings.NewReader(`{"operations":[{"op":"create","path":"users/u1/notes/n","body":{}}]}`))
	r.Header.Set("Authorization", "Bearer "+long)
	r.Header.Set("Idempotency-Key", "one")
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	if w.Code != status || !strings.Contains(w.Body.String(), contains) {
		t.Errorf("at %s: %d %s, want %d and %s", time.Now().Format(time.DateTime), w.Code, w.Body, status, contains)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
