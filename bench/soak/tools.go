package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// toolServer is the world that tools act on. It counts every call by its
// idempotency key, and sometimes is slow, fails, or takes effect without an answer.
type toolServer struct {
	seed   uint64
	faulty atomic.Bool

	mu     sync.Mutex
	hits   map[string]int            // by idempotency key
	tools  map[string]string         // by idempotency key
	keys   map[string]map[string]int // tool and work to the keys under which it was done
	total  int
	failed int
}

func newToolServer(seed uint64) *toolServer {
	return &toolServer{seed: seed, hits: map[string]int{}, tools: map[string]string{}, keys: map[string]map[string]int{}}
}

func (t *toolServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	work := r.URL.Query().Get("work")
	if r.Method != http.MethodGet {
		body, err := io.ReadAll(r.Body)
		var in struct {
			Work string `json:"work"`
		}
		if err == nil {
			err = json.Unmarshal(body, &in)
		}
		if err != nil {
			return // it went away before it was asked
		}
		work = in.Work
	}
	turn, fault := t.take(name, work, r.Header.Get("Idempotency-Key"))
	pause := time.Duration(chance(t.seed, fmt.Sprint("pause", name, work, turn), 300)) * time.Millisecond
	select {
	case <-r.Context().Done():
		return
	case <-time.After(pause):
	}
	switch fault {
	case "cut":
		panic(http.ErrAbortHandler)
	case "503":
		http.Error(w, "not now", http.StatusServiceUnavailable)
	default:
		fmt.Fprintf(w, "%s did %s", name, work)
	}
}

// take counts a call and says how it goes wrong, if it does.
func (t *toolServer) take(name, work, key string) (turn int, fault string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total++
	turn = t.total
	if key != "" {
		t.hits[key]++
		t.tools[key] = name
		of := t.keys[name+" "+work]
		if of == nil {
			of = map[string]int{}
			t.keys[name+" "+work] = of
		}
		of[key]++
		turn = t.hits[key]
	}
	if !t.faulty.Load() || turn > 1 {
		return turn, ""
	}
	switch chance(t.seed, "tool"+name+work, 25) {
	case 0:
		fault = "cut"
	case 1:
		fault = "503"
	}
	if fault != "" {
		t.failed++
	}
	return turn, fault
}
