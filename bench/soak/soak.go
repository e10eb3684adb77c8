package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nestorhq/nestor/internal/store/postgres/pgserver"
)

// soak is one run of the program.
type soak struct {
	config
	began    time.Time
	journal  *journal
	database *pgserver.Server
	nats     *nats // nil if PostgreSQL carries live text
	nodes    []*node
	model    *model
	tools    *toolServer
	people   []*person
	versions versions
	acts     map[string]int // of chaos, by name
	watched  watched
}

// random is a source of its own for each purpose, so that what one draws does not
// depend on how far the others are.
func (s *soak) random(purpose uint64) *rand.Rand { return rand.New(rand.NewPCG(s.Seed, purpose)) }

// run does it all: set up, load and faults, the rest, the checks.
func run(ctx context.Context, c config) (*report, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &soak{config: c, began: time.Now(), acts: map[string]int{}}
	if s.journal, err = openJournal(filepath.Join(c.Folder, "acts.log")); err != nil {
		return nil, err
	}
	defer s.journal.close()
	s.journal.note("seed %d, live text by %s, logs in %s", c.Seed, c.Bus, c.Folder)
	fmt.Fprintf(os.Stderr, "soak: seed %d, logs in %s\n", c.Seed, c.Folder)

	if s.database, err = pgserver.Start(ctx); err != nil {
		return nil, err
	}
	defer s.database.Close()
	if c.Bus == "nats" {
		if s.nats, err = startNATS(); err != nil {
			return nil, err
		}
		defer s.nats.close()
	}
	s.model, s.tools = newModel(s.Seed, s.journal), newToolServer(s.Seed)
	models, err := serve(s.model)
	if err != nil {
		return nil, err
	}
	defer models.Close()
	tools, err := serve(s.tools)
	if err != nil {
		return nil, err
	}
	defer tools.Close()
	if err := s.startNodes(ctx, models.Addr, tools.Addr); err != nil {
		return nil, errors.Join(err, s.stopNodes())
	}
	defer client.CloseIdleConnections()
	r, err := s.live(ctx)
	return r, errors.Join(err, s.stopNodes())
}

// serve answers on a free port, which Addr has, with http:// before it.
func serve(h http.Handler) (*http.Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{Addr: "http://" + l.Addr().String(), Handler: h, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	go server.Serve(l) // until it is closed
	return server, nil
}

// live is what happens once the nodes run.
func (s *soak) live(ctx context.Context) (*report, error) {
	if err := s.invite(ctx); err != nil {
		return nil, err
	}
	// People react and pull until all work is done, and follow until the end.
	reacting, stopReacting := context.WithCancel(ctx)
	following, stopFollowing := context.WithCancel(ctx)
	var reactions, followers sync.WaitGroup
	defer followers.Wait()
	defer stopFollowing()
	defer reactions.Wait()
	defer stopReacting()
	for _, p := range s.people {
		p.follow(following, &followers)
		p.react(reacting, &reactions)
	}

	watching, stopWatching := context.WithCancel(ctx)
	var watch sync.WaitGroup
	defer watch.Wait()
	defer stopWatching()
	if s.Limit > 0 {
		watch.Go(func() { s.watchLimit(watching) })
	}

	busy, stop := context.WithTimeout(ctx, s.Duration)
	defer stop()
	s.model.faulty.Store(true)
	s.tools.faulty.Store(true)
	var load sync.WaitGroup
	for _, p := range s.people {
		load.Go(func() { p.live(busy) })
	}
	chaos := make(chan error, 1)
	go func() { chaos <- s.chaos(busy) }()
	<-busy.Done()
	err := <-chaos
	s.model.faulty.Store(false)
	s.tools.faulty.Store(false)
	load.Wait()
	s.journal.note("the faults are over")
	if err != nil || ctx.Err() != nil {
		return nil, errors.Join(err, ctx.Err())
	}

	r := &report{soak: s}
	settled, cancel := context.WithTimeout(ctx, s.Settle)
	defer cancel()
	if err := s.settle(settled); err != nil {
		r.violated("nothing lost", "not all work came to its end within %s: %v", s.Settle, err)
	}
	stopReacting()
	reactions.Wait()
	stopWatching()
	watch.Wait()
	s.checkLimit(r)
	if err := s.check(ctx, r); err != nil {
		return nil, err
	}
	return r, nil
}
