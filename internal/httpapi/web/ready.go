package web

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

const (
	// readyFor is how long an answer stands. Everybody may ask, and finding out
	// is a write.
	readyFor = 2 * time.Second
	// readyTimeout is how long the database may take for it.
	readyTimeout = 5 * time.Second
)

// readiness remembers whether the server can do its work. Those who ask at the
// same time wait for one answer.
type readiness struct {
	check func(context.Context) error

	mu  sync.Mutex
	at  time.Time
	err error
}

// ask reports why the server cannot do its work, and whether that was found out
// just now.
func (r *readiness) ask(ctx context.Context) (fresh bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.at.IsZero() && time.Since(r.at) < readyFor {
		return false, r.err
	}
	// Whoever asked first may go away; the others still want to know.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyTimeout)
	defer cancel()
	r.err = r.check(ctx)
	r.at = time.Now()
	return true, r.err
}

// Ready answers whether the server can do its work, which check finds out.
func Ready(check func(context.Context) error, log *slog.Logger) http.HandlerFunc {
	known := readiness{check: check}
	return func(w http.ResponseWriter, r *http.Request) {
		fresh, err := known.ask(r.Context())
		if err != nil {
			if fresh {
				log.Warn("not ready", "error", err)
			}
			http.Error(w, "not ready", http.StatusServiceUnavailable)
			return
		}
		w.Write([]byte("ready\n"))
	}
}
