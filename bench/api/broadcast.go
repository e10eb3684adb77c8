package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// broadcast is the floor for streams: every commit of the busy chat goes to a
// channel per subscriber, whose handler encodes and flushes it. Nobody asks who
// the subscriber is, what they may see, or where they left off.
type broadcast struct {
	mu   sync.Mutex
	subs map[chan *nestor.Document]bool
}

func newBroadcast(s store.Store) *broadcast {
	b := &broadcast{subs: map[chan *nestor.Document]bool{}}
	s.Observe(store.First, b.committed)
	return b
}

func (b *broadcast) committed(c store.Commit) {
	for i := range c.Changes {
		if c.Changes[i].Path != chats+"busy" || c.Changes[i].After == nil {
			continue
		}
		b.mu.Lock()
		for sub := range b.subs {
			sub <- c.Changes[i].After
		}
		b.mu.Unlock()
	}
}

func (b *broadcast) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sub := make(chan *nestor.Document, 1000)
	b.mu.Lock()
	b.subs[sub] = true
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.subs, sub)
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	fmt.Fprint(w, ":\nid: 0\n\n")
	for control.Flush() == nil {
		select {
		case <-r.Context().Done():
			return
		case d := <-sub:
			text, err := json.Marshal(d)
			if err != nil {
				return
			}
			fmt.Fprintf(w, "event: change\nid: %d\ndata: %s\n\n", d.Seq, text)
		}
	}
}
