package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nestorhq/nestor/internal/door/doortest"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/nodetest"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
	"github.com/nestorhq/nestor/server"
)

// slow is a model that says when it is asked, and answers when it is let.
type slow struct {
	calls atomic.Int32
	asked chan struct{}
	let   chan struct{}
}

func (*slow) Name() string { return "slow" }

func (m *slow) Generate(ctx context.Context, _ *llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		m.calls.Add(1)
		m.asked <- struct{}{}
		select {
		case <-m.let:
		case <-ctx.Done():
			yield(nil, ctx.Err())
			return
		}
		_ = yield(llm.Text{Text: "Done."}, nil) && yield(llm.Finish{Reason: llm.ReasonStop}, nil)
	}
}

// The stock client repeats requests by itself, without an Idempotency-Key, when the
// connection breaks and when it waited too long. Each way it gets the answer of the run
// that it began, and the model is asked once. See testdata/retry.mjs.
func TestTheStockClientRepeatsARequest(t *testing.T) {
	const requests = 4 // of the script
	for way, cut := range map[string]bool{"the connection breaks": true, "it waits too long": false} {
		t.Run(way, func(t *testing.T) {
			servertest.Each(t, func(t *testing.T, cfg server.Config) {
				model := &slow{asked: make(chan struct{}, 100), let: make(chan struct{}, 100)}
				cfg.Model, cfg.Addr = model, "127.0.0.1:0"
				p := servertest.Enter(t, cfg)
				ann := p.SignIn("ann").WithKey("write")
				front := httptest.NewServer(impatient(t, p.URL(), model, cut))
				defer front.Close()
				nodetest.RunScript(t, "testdata", []string{"NESTOR_URL=" + front.URL, "NESTOR_KEY=" + ann.Token}, "retry.mjs", map[bool]string{true: "cut", false: "late"}[cut])
				p.Settled()
				var runs struct{ Items []struct{ ID string } }
				ann.Into(&runs, 200, "GET", "runs?limit=100", "")
				if len(runs.Items) != requests || model.calls.Load() != requests {
					t.Errorf("%d requests made %d runs and %d calls of the model", requests, len(runs.Items), model.calls.Load())
				}
			})
		})
	}
}

// impatient passes requests on. The first attempt of each gets no answer: its connection
// is cut when the model has been asked, or its client gives it up. Later attempts let the
// model answer.
func impatient(t *testing.T, to string, model *slow, cut bool) http.Handler {
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, stop := context.WithCancel(r.Context())
		defer stop()
		if r.Header.Get("X-Stainless-Retry-Count") != "0" {
			model.let <- struct{}{}
		} else {
			w = unsent{w}
			go func() {
				select {
				case <-model.asked:
					if cut {
						stop()
					}
				case <-ctx.Done():
				}
			}()
		}
		proxy.ServeHTTP(w, r.WithContext(ctx))
	})
}

// unsent keeps an answer from its client.
type unsent struct{ http.ResponseWriter }

func (unsent) Write(p []byte) (int, error) { return len(p), nil }
func (unsent) WriteHeader(int)             {}

// A request whose server is killed is repeated by the stock client alone, and its run
// goes on: one run, asked for once.
func TestTheStockClientRepeatsARequestWhoseServerIsKilled(t *testing.T) {
	doortest.KillInTheMiddle(t, "retry.mjs", "killed")
}

const once = `{"model":"model:default","messages":[{"role":"user","content":"Hello"}]}`

// begins sends an attempt and goes away when it has begun. It returns the run.
func begins(who *servertest.Person, count int, body string) string {
	who.Helper()
	ctx, leave := context.WithCancel(who.Context())
	defer leave()
	r := who.Request("POST", "chats", strings.Replace(body, "{", `{"stream":true,`, 1))
	r.URL.Path = "/v1/chat/completions"
	r.Header.Set("X-Stainless-Retry-Count", fmt.Sprint(count))
	res := who.Open(r.WithContext(ctx))
	defer res.Body.Close()
	var chunk struct{ ID string }
	line := make([]byte, 4096)
	n, err := res.Body.Read(line)
	text, _, _ := strings.Cut(string(line[:n]), "\n")
	if err != nil || json.Unmarshal([]byte(strings.TrimPrefix(text, "data: ")), &chunk) != nil || chunk.ID == "" {
		who.Fatalf("it is told %q, %v", line[:n], err)
	}
	return chunk.ID
}

// What counts as the same request: of the same credential, with the same body, one that
// is repeated, and not one that was answered or that another request repeated.
func TestWhichRequestIsRepeated(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		model := &slow{asked: make(chan struct{}, 100), let: make(chan struct{}, 100)}
		cfg.Model = model
		p := servertest.Enter(t, cfg)
		person := p.SignIn("ann")
		ann, other, bob := person.WithKey("write"), person.WithKey("write"), p.SignIn("bob").WithKey("write")
		first, second := begins(ann, 0, once), begins(ann, 0, once)
		if first == second {
			t.Error("two first requests are one run")
		}
		for name, c := range map[string]struct {
			who  *servertest.Person
			body string
		}{"of another user": {bob, once}, "with another key": {other, once}, "with another body": {ann, strings.Replace(once, "Hello", "Bye", 1)}} {
			if run := begins(c.who, 1, c.body); run == first || run == second {
				t.Errorf("a request %s is taken for the first one", name)
			}
		}
		repeated := map[string]bool{begins(ann, 1, once): true, begins(ann, 1, once): true}
		if !repeated[first] || !repeated[second] {
			t.Errorf("the runs %s and %s are repeated as %v", first, second, repeated)
		}
		if third := begins(ann, 1, once); repeated[third] {
			t.Error("a request is repeated twice as the first time")
		}
		if again := begins(ann, 2, once); again == "" || !repeated[again] && again == first {
			t.Errorf("a second repetition is %s", again)
		}
		for range 20 {
			model.let <- struct{}{}
		}
		p.Settled()
	})
}

// What a node began is found through another one.
func TestARequestIsRepeatedThroughAnotherNode(t *testing.T) {
	model := &slow{asked: make(chan struct{}, 100), let: make(chan struct{}, 100)}
	db := pgtest.URL(t)
	p := servertest.Enter(t, server.Config{Data: t.TempDir(), DB: db, Model: model})
	there := servertest.Enter(t, server.Config{Data: t.TempDir(), DB: db, Model: model})
	ann := p.SignIn("ann").WithKey("write")
	again := there.With(ann.Token)
	if first, second := begins(ann, 0, once), begins(again, 1, once); first != second {
		t.Errorf("the run %s is %s at another node", first, second)
	}
	model.let <- struct{}{}
	p.Settled()
}
