package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// model is a model server that speaks the wire format of chat completions. What
// it says follows from the request alone: an agent's instruction carries its plan,
// [[k=KEY do=ACT,ACT]], and a person's message what the orchestrator is to do about
// it, [[m=KEY …]]. Every reply has a number, so that a document tells which request
// it came of. Some requests fail in all the ways in which model servers do.
type model struct {
	seed    uint64
	journal *journal
	faulty  atomic.Bool

	mu       sync.Mutex
	requests []*request // by number
	asked    map[string]int
	faults   map[string]int
}

// request is one that was answered, whether or not anything came of it.
type request struct {
	step         int
	began, ended time.Time
}

func newModel(seed uint64, j *journal) *model {
	return &model{seed: seed, journal: j, asked: map[string]int{}, faults: map[string]int{}}
}

// conversation is what a request says.
type conversation struct {
	Messages []struct {
		Role    string `json:"role"`
		Content any    `json:"content"`
		Calls   []struct {
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"messages"`
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var c conversation
	if err == nil {
		err = json.Unmarshal(body, &c)
	}
	if err != nil || len(c.Messages) == 0 {
		http.Error(w, fmt.Sprintf("no conversation: %v", err), http.StatusBadRequest)
		return
	}
	said := c.reply()
	number, turn := m.enter(said)
	defer m.leave(number)
	if turn == 1 && m.faulty.Load() && m.chance(said, "fault", 100) < 18 {
		m.fail(w, r, said)
		return
	}
	said.text = fmt.Sprintf("‹%d› %s", number, said.text)
	pace := time.Duration(m.chance(said, "pace", 40)) * time.Millisecond
	m.stream(w, r, said, pace, -1)
}

// enter notes a request and counts how often this one was asked.
func (m *model) enter(said *saying) (number, turn int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, &request{step: said.step, began: time.Now()})
	m.asked[said.id()]++
	return len(m.requests) - 1, m.asked[said.id()]
}

func (m *model) leave(number int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests[number].ended = time.Now()
}

// chance is a number below n that depends on the seed and the request only.
func (m *model) chance(said *saying, purpose string, n uint64) uint64 {
	return chance(m.seed, purpose+said.id(), n)
}

func chance(seed uint64, text string, n uint64) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, seed, text)
	return h.Sum64() % n
}

// fail answers in a way that is no reply.
func (m *model) fail(w http.ResponseWriter, r *http.Request, said *saying) {
	kinds := []string{"429", "500", "503", "hang", "cut", "garbage"}
	kind := kinds[m.chance(said, "kind", uint64(len(kinds)))]
	m.mu.Lock()
	m.faults[kind]++
	m.mu.Unlock()
	m.journal.note("model: %s for %s", kind, said.id())
	switch kind {
	case "429":
		w.Header().Set("Retry-After", "1")
		http.Error(w, `{"error":{"message":"slow down","type":"rate_limit"}}`, http.StatusTooManyRequests)
	case "hang":
		select {
		case <-r.Context().Done():
		case <-time.After(6 * time.Second):
		}
		panic(http.ErrAbortHandler)
	case "cut":
		m.stream(w, r, said, 5*time.Millisecond, 3)
		panic(http.ErrAbortHandler)
	case "garbage":
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"gar\"}}]}\n\ndata: {\"cho\x00\xff\n\n")
	default:
		status, _ := strconv.Atoi(kind)
		http.Error(w, `{"error":{"message":"overloaded","type":"server_error"}}`, status)
	}
}

// stream sends a reply in pieces, at most so many of them if most is not negative.
func (m *model) stream(w http.ResponseWriter, r *http.Request, said *saying, pace time.Duration, most int) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	flush := http.NewResponseController(w)
	for i, chunk := range said.chunks() {
		if i == most {
			return
		}
		if pace > 0 {
			select {
			case <-r.Context().Done():
				return
			case <-time.After(pace):
			}
		}
		fmt.Fprintf(w, "data: %s\n\n", chunk)
		_ = flush.Flush() // the client may have gone
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

var number = regexp.MustCompile(`‹(\d+)›`)

// numberOf is the number of the reply that a text came of, -1 if of none.
func numberOf(text string) int {
	found := number.FindStringSubmatch(text)
	if found == nil {
		return -1
	}
	n, _ := strconv.Atoi(found[1])
	return n
}

// text is the words of a message of a request.
func text(content any) string {
	switch v := content.(type) {
	case string:
		return v
	case []any:
		var b strings.Builder
		for _, part := range v {
			if p, ok := part.(map[string]any); ok {
				if s, ok := p["text"].(string); ok {
					b.WriteString(s)
				}
			}
		}
		return b.String()
	}
	return ""
}
