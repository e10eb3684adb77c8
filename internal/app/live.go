package app

import (
	"context"
	"errors"
	"log/slog"

	"golang.org/x/sync/errgroup"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/bus"
	"github.com/nestorhq/nestor/internal/bus/natsbus"
	"github.com/nestorhq/nestor/internal/bus/pgbus"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/store/postgres"
)

// wakeUp is the subject of wake-ups.
const wakeUp = "wake"

// checkNATS finds out before anything is opened what is wrong with the settings of
// NATS.
func checkNATS(cfg Config) error {
	switch {
	case cfg.NATS == "" && cfg.NATSCreds != "":
		return nestor.Errorf(nestor.CodeInvalid, "--nats-creds is for --nats, which is missing")
	case cfg.NATS == "":
		return nil
	case cfg.DB == "":
		return nestor.Errorf(nestor.CodeInvalid, "--nats is for several nodes on one PostgreSQL: give --db, too")
	}
	_, err := natsbus.New(natsbus.Options{URLs: cfg.NATS, Creds: cfg.NATSCreds})
	return err
}

// connect makes the feed and, on a database that several nodes can share, the bus
// between them.
func (s *Server) connect(ctx context.Context) error {
	db, ok := s.store.(*postgres.Store)
	if !ok {
		s.feed = feed.New(s.store, feed.Options{Logger: s.log})
		return nil
	}
	var err error
	if s.bus, err = openBus(ctx, s.cfg, db, s.log); err != nil {
		return err
	}
	s.feed = feed.New(s.store, feed.Options{Bus: s.bus, Others: db.Others, Logger: s.log})
	n := neighbours{feed: s.feed}
	if s.cfg.NATS != "" {
		n.bus = s.bus
		s.bus.Subscribe(wakeUp, func(message []byte) { db.Woken(string(message)) })
	}
	db.Neighbours(n)
	s.cfg.NATS = "" // it may hold a password, and only the bus needs it
	return nil
}

func openBus(ctx context.Context, cfg Config, db *postgres.Store, log *slog.Logger) (bus.Bus, error) {
	if cfg.NATS == "" {
		return pgbus.New(cfg.DB, log)
	}
	id, err := db.Installation(ctx)
	if err != nil {
		return nil, err
	}
	return natsbus.New(natsbus.Options{URLs: cfg.NATS, Creds: cfg.NATSCreds, Prefix: "nestor." + id, Logger: log})
}

// follow runs the feed and the bus. The bus ends last: the feed says goodbye.
func (s *Server) follow(ctx context.Context) error {
	if s.bus == nil {
		return s.feed.Run(ctx)
	}
	var group errgroup.Group
	rest, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	group.Go(func() error { return s.bus.Run(rest) })
	err := s.feed.Run(ctx)
	stop()
	return errors.Join(err, group.Wait())
}

// neighbours are the other nodes as the feed hears them. Over the database's own
// bus wake-ups go as ever, by NOTIFY.
type neighbours struct {
	feed *feed.Feed
	bus  bus.Bus // nil for that of the database
}

// Count implements [postgres.Neighbours].
func (n neighbours) Count() int { return n.feed.Peers() }

// Wake implements [postgres.Neighbours].
func (n neighbours) Wake(message string) int {
	if n.bus == nil || n.bus.Publish(context.Background(), bus.Message{Subject: wakeUp, Data: []byte(message)}) != nil {
		return 0
	}
	return n.feed.Peers()
}
