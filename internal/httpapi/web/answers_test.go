package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// hurried notes the deadlines that are set.
type hurried struct {
	http.ResponseWriter
	deadlines []time.Time
}

func (h *hurried) SetWriteDeadline(t time.Time) error {
	h.deadlines = append(h.deadlines, t)
	return nil
}

// The time that a client has for the pieces of a large answer is not that of what it asks
// for next over the same connection.
func TestTheDeadlineOfPiecesEndsWithTheAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		server time.Duration
		want   func(time.Time) bool
	}{
		"without a bound": {0, time.Time.IsZero},
		"with a bound":    {time.Hour, func(at time.Time) bool { return time.Until(at) > time.Minute }},
	} {
		w := &hurried{ResponseWriter: httptest.NewRecorder()}
		r := httptest.NewRequestWithContext(context.WithValue(t.Context(), http.ServerContextKey, &http.Server{WriteTimeout: c.server}), "GET", "/", nil)
		h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { Write(w, 0, strings.Repeat("x", uncounted)) })
		NewAnswers(1<<20, 1<<20, time.Second).Count(w, r, "ann", false, h, nil)
		if n := len(w.deadlines); n < 3 || !c.want(w.deadlines[n-1]) || w.deadlines[0].IsZero() {
			t.Errorf("%s: the deadlines are %v", name, w.deadlines)
		}
	}
}
