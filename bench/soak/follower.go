package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// follower follows the documents of a person at one node, or at one after the
// other, and comes back with the id of the last event that it saw whole. It keeps
// what it was told, to be held against the log.
type follower struct {
	*person
	name  string
	nodes []*node
	tell  func(change)

	mu    sync.Mutex
	last  string // the id to go on from
	seen  []mark
	comes int // connections
}

// mark stands for a change: its position, and a hash of all that was told of it.
type mark struct {
	seq int64
	sum uint64
}

// change is what a stream tells of a document.
type change struct {
	Type       string          `json:"type"`
	Path       string          `json:"path"`
	Collection string          `json:"collection"`
	Seq        int64           `json:"seq"`
	Document   json.RawMessage `json:"document"`
}

func (c *change) mark() mark {
	h := fnv.New64a()
	fmt.Fprint(h, c.Type, c.Path, c.Seq)
	h.Write(c.Document)
	return mark{c.Seq, h.Sum64()}
}

func newFollower(p *person, name string, nodes ...*node) *follower {
	return &follower{person: p, name: name, nodes: nodes, last: "0"}
}

// follow comes back until ctx ends.
func (f *follower) follow(ctx context.Context) {
	for turn := 0; ctx.Err() == nil; turn++ {
		err := f.connect(ctx, f.nodes[turn%len(f.nodes)])
		if ctx.Err() == nil && refused(err) {
			f.refuse(fmt.Errorf("a stream: %w", err))
		}
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// silence is how long a stream may say nothing: nodes give signs of life every 15
// seconds.
const silence = 20 * time.Second

// connect reads one stream until it breaks.
func (f *follower) connect(ctx context.Context, n *node) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	alive := time.AfterFunc(silence, cancel)
	defer alive.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, n.url()+"/api/v1/stream", http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+f.token)
	req.Header.Set("Last-Event-ID", f.position())
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		answer, _ := io.ReadAll(res.Body) // half an answer has a status, too
		if res.StatusCode >= 500 || res.StatusCode == http.StatusTooManyRequests {
			return fmt.Errorf("a stream: %s", res.Status)
		}
		return newRefusal(res.StatusCode, answer)
	}
	f.mu.Lock()
	f.comes++
	f.mu.Unlock()
	return readEvents(res.Body, func() { alive.Reset(silence) }, f.take)
}

func (f *follower) position() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last
}

// take is told of each event that came whole.
func (f *follower) take(e event) error {
	if e.name == "resync" {
		return &refusal{Code: "resync", Text: e.data}
	}
	var c change
	if e.name == "change" {
		if err := json.Unmarshal([]byte(e.data), &c); err != nil {
			return &refusal{Code: "garbled", Text: err.Error()}
		}
		f.versions.note(&c)
	}
	f.mu.Lock()
	if e.id != "" {
		f.last = e.id
	}
	if e.name == "change" {
		f.seen = append(f.seen, c.mark())
	}
	f.mu.Unlock()
	if e.name == "change" && f.tell != nil {
		f.tell(c)
	}
	return nil
}

// event is a server-sent event.
type event struct{ name, id, data string }

// readEvents reads a stream until it ends. An event counts once the empty line
// after it was read.
func readEvents(r io.Reader, heard func(), take func(event) error) error {
	lines := bufio.NewReaderSize(r, 1<<16)
	var e event
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return err
		}
		heard()
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			if err := take(e); err != nil {
				return err
			}
			e = event{}
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "event":
			e.name = value
		case "id":
			e.id = value
		case "data":
			e.data += value
		}
	}
}

// versions holds that a version of a document stands for one content, whoever
// tells it.
type versions struct {
	mu       sync.Mutex
	contents map[string]uint64 // by path and version
	broken   []string
}

func (v *versions) note(c *change) {
	var head struct {
		Version int64 `json:"version"`
	}
	if c.Type == "delete" || json.Unmarshal(c.Document, &head) != nil {
		return
	}
	h := fnv.New64a()
	h.Write(c.Document)
	key := fmt.Sprintf("%s@%d", c.Path, head.Version)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.contents == nil {
		v.contents = map[string]uint64{}
	}
	if sum, ok := v.contents[key]; ok && sum != h.Sum64() {
		v.broken = append(v.broken, key)
	}
	v.contents[key] = h.Sum64()
}
