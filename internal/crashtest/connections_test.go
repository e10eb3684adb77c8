package crashtest

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
	"github.com/nestorhq/nestor/internal/worker"
)

// TestAModelThatTakesLongerThanIdleConnectionsLiveIsAskedOnce has a proxy on
// the way that takes quiet connections for forgotten, as many do.
func TestAModelThatTakesLongerThanIdleConnectionsLiveIsAskedOnce(t *testing.T) {
	want := wholeConversation(t)
	server := pgtest.Start(t)
	proxy := pgtest.NewProxy(t, server.Address(), 2500*time.Millisecond)
	url, err := server.Schema()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.arrived = func(_, what string) {
		if what == delegation.name {
			<-time.After(5 * time.Second)
		}
	}
	db := engines.Place{Engine: "postgres", Address: strings.Replace(url, server.Address(), proxy.Address(), 1)}
	m, err := join(t.Context(), newLife(db, w.address("member")), memberOptions{lease: realLease})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(conversation.toTheEnd(t.Context(), m), m.close()); err != nil {
		t.Fatal(err)
	}
	m.ending.check(t, w, 0, want)
	if proxy.Cuts.Load() == 0 {
		t.Error("no connection was idle for that long: this tested nothing")
	}
}

// TestAConversationGoesOnWhileAllConnectionsAreCutOverAndOver ends every
// connection to the server several times a second. Nothing gets lost or given up,
// and a single node asks no model twice.
func TestAConversationGoesOnWhileAllConnectionsAreCutOverAndOver(t *testing.T) {
	want := wholeConversation(t)
	for name, others := range map[string]int{"of one node": 0, "of two nodes": 1} {
		t.Run(name, func(t *testing.T) {
			server := pgtest.Start(t)
			url, err := server.Schema()
			if err != nil {
				t.Fatal(err)
			}
			w := newWorld(t)
			var members []*member
			opts := memberOptions{lease: realLease}
			for range 1 + others {
				m, err := join(t.Context(), newLife(engines.Place{Engine: "postgres", Address: url}, w.address("member")), opts)
				if err != nil {
					t.Fatal(err)
				}
				members = append(members, m)
				opts.ended = func(*nestor.Job, worker.Outcome) { // the first one has the person act
					select {
					case members[0].ended <- struct{}{}:
					default:
					}
				}
			}
			ctx, cancel := inTime(t.Context())
			defer cancel()
			storm, calm := context.WithCancel(ctx)
			var wg sync.WaitGroup
			wg.Go(func() { terminate(t, storm, server) })
			for _, m := range members[1:] {
				wg.Go(func() {
					if err := m.run(storm, m.worker.Run); err != nil {
						t.Error(err)
					}
				})
			}
			err = conversation.toTheEnd(ctx, members[0])
			calm()
			wg.Wait()
			for _, m := range members {
				err = errors.Join(err, m.close())
			}
			if err != nil {
				t.Fatal(err)
			}
			// A node that cannot come back in time loses what it does to the other.
			members[0].ending.check(t, w, 5*others, want)
		})
	}
}

func terminate(t *testing.T, ctx context.Context, server *pgtest.Server) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(100*time.Millisecond + rand.N(250*time.Millisecond)):
		}
		if err := server.Terminate(); err != nil {
			t.Error(err)
			return
		}
	}
}
