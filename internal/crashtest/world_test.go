package crashtest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
)

// world is what outlives the processes that are killed: the model, and what
// tools act on. Each process has an address of its own in it.
type world struct {
	t      *testing.T
	server *httptest.Server
	// arrived, if set, is called for everything that a process asks of the
	// world, before the answer: the name of a line of the script or of a tool.
	// The answer waits for it.
	arrived func(process, what string)
	// improvised, if set, says what the model says, in place of the script.
	improvised func(*request) []llm.Event

	mu    sync.Mutex
	calls []modelCall
	runs  []toolRun
}

type modelCall struct {
	process, line string
	at            int64 // Unix milliseconds
}

type toolRun struct{ process, tool, key string }

func newWorld(t *testing.T) *world {
	w := &world{t: t}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /{process}/v1/chat/completions", w.speak)
	mux.HandleFunc("POST /{process}/tools/{tool}", w.work)
	w.server = httptest.NewServer(mux)
	t.Cleanup(w.server.Close)
	return w
}

func (w *world) address(process string) string { return w.server.URL + "/" + process }

func (w *world) speak(rw http.ResponseWriter, hr *http.Request) {
	var r request
	if err := json.NewDecoder(hr.Body).Decode(&r); err != nil {
		return // the process died while it asked
	}
	if err := r.check(); err != nil {
		w.t.Errorf("a request that no provider takes: %v", err)
	}
	rw.Header().Set("Content-Type", "text/event-stream")
	if w.improvised != nil {
		_, _ = rw.Write(llmtest.OpenAI.Transcript(w.improvised(&r)))
		return
	}
	l, err := r.cue()
	if err != nil {
		w.t.Error(err)
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	w.mu.Lock()
	w.calls = append(w.calls, modelCall{hr.PathValue("process"), l.name, nestor.Millis(time.Now())})
	w.mu.Unlock()
	w.await(hr, l.name)
	_, _ = rw.Write(llmtest.OpenAI.Transcript(l.events(&r))) // a process that died does not listen
}

// work is the effect of a tool on the world.
func (w *world) work(rw http.ResponseWriter, hr *http.Request) {
	tool := hr.PathValue("tool")
	w.mu.Lock()
	w.runs = append(w.runs, toolRun{hr.PathValue("process"), tool, hr.FormValue("key")})
	w.mu.Unlock()
	w.await(hr, tool)
	_, _ = io.WriteString(rw, toolAnswers[tool])
}

func (w *world) await(hr *http.Request, what string) {
	if w.arrived != nil {
		w.arrived(hr.PathValue("process"), what)
	}
}

// check holds what happened against what was committed, and when. Something may
// be done again for every process that was killed, but no line of the script
// may be asked for once its reply is in the documents, and the tool that must
// run once may not run twice.
func (w *world) check(t *testing.T, committed map[string]int64, killed int) {
	t.Helper()
	if held := w.ran(holdItem); len(held) < 1 || len(held) > 1+killed || slices.ContainsFunc(held, func(r toolRun) bool { return r.key != held[0].key }) {
		t.Errorf("an idempotent tool ran thus: %v", held)
	}
	if n := len(w.ran(writeLetter)); n > 1 {
		t.Errorf("a tool that must run once ran %d times", n)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	asked := map[string]int{}
	for _, c := range w.calls {
		asked[c.line]++
		if at, ok := committed[c.line]; !ok {
			t.Errorf("the %s was not committed", c.line)
		} else if c.at > at {
			t.Errorf("%s asked for the %s again, %d ms after it was committed", c.process, c.line, c.at-at)
		}
	}
	for _, l := range script {
		if n := asked[l.name]; n < 1 || n > 1+killed {
			t.Errorf("the model was asked %d times for the %s", n, l.name)
		}
	}
}

// ran are the runs of a tool.
func (w *world) ran(tool string) (runs []toolRun) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.runs {
		if r.tool == tool {
			runs = append(runs, r)
		}
	}
	return runs
}
