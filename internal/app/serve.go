package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/nestorhq/nestor"
)

// serve answers HTTP until ctx ends. It calls greet with its address when it
// can be reached.
func serve(ctx context.Context, cfg Config, api http.Handler, log *slog.Logger, greet func(url string) error) error {
	certificate, err := loadCertificate(cfg, log)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", cfg.Addr)
	if err != nil {
		return nestor.Errorf(nestor.CodeUnavailable, "cannot listen on %s: %w (choose another with --addr)", cfg.Addr, err)
	}
	srv := newServer(api, log)
	var unused unasked
	srv.ConnState = unused.follow
	scheme, accept := "http", srv.Serve
	if certificate != nil {
		srv.TLSConfig = certificate.config()
		scheme, accept = "https", func(l net.Listener) error { return srv.ServeTLS(l, "", "") }
	}
	url := scheme + "://" + listener.Addr().String()
	withdraw, err := announce(cfg, url)
	if err != nil {
		log.Warn("`nestor link` will not find this server", "error", err)
	} else {
		defer withdraw()
	}
	if err := greet(url); err != nil {
		return errors.Join(err, listener.Close())
	}
	if cfg.Listening != nil {
		cfg.Listening(url)
	}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		log.Info("stopping")
		unused.close()
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		err := srv.Shutdown(stop)
		if errors.Is(err, context.DeadlineExceeded) { // cut off the clients that hold on
			err = srv.Close()
		}
		stopped <- err
	}()
	if err := accept(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}

// newServer bounds what a client can hold on to: how long it takes to send a
// request and to read the answer, how large the headers are, and how long a
// connection idles. Event streams, which have no end, bound every event instead.
func newServer(api http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           api,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		WriteTimeout:      5 * time.Minute, // a call of a tool or a model may take its time
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// unasked are the connections on which no request has come yet. Browsers open
// them in advance, and a server that stops would wait for them.
type unasked struct {
	mu   sync.Mutex
	open map[net.Conn]bool
}

func (c *unasked) follow(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if state != http.StateNew {
		delete(c.open, conn)
		return
	}
	if c.open == nil {
		c.open = map[net.Conn]bool{}
	}
	c.open[conn] = true
}

func (c *unasked) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.open {
		_ = conn.Close() // whoever opened it has lost nothing
	}
}
