package remote_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/remote"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// peer is a remote agent that is written out, to behave as others do and as none should.
type peer struct {
	*httptest.Server
	mu sync.Mutex
	// calls are the methods that were called, and ids those of the messages.
	calls, ids []string
	// answers are what it answers a method with, the last one for ever.
	answers map[string][]string
	// url is what its card names. Defaults to its own.
	url     string
	skills  string
	streams bool
	seen    func(*http.Request)
	called  *sync.Cond
	// goOn lets it say what comes after a pause.
	goOn chan struct{}
}

// pause stands in an answer where the peer waits.
const pause = "(pause)"

func newPeer(t *testing.T, p *peer) *peer {
	p.called = sync.NewCond(&p.mu)
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	if p.url == "" {
		p.url = p.URL + "/rpc"
	}
	return p
}

func (p *peer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.seen != nil {
		p.seen(r)
	}
	if r.Method == http.MethodGet {
		fmt.Fprintf(w, `{"name":"p","url":%q,"preferredTransport":"JSONRPC","capabilities":{"streaming":%v},"skills":[%s]}`, p.url, p.streams, p.skills)
		return
	}
	var call struct {
		Method string
		Params struct{ Message struct{ MessageID string } }
	}
	if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, call.Method)
	defer p.called.Broadcast()
	if id := call.Params.Message.MessageID; id != "" {
		p.ids = append(p.ids, id)
	}
	left := p.answers[call.Method]
	answer := ""
	if len(left) > 0 {
		answer = left[0]
	}
	if len(left) > 1 {
		p.answers[call.Method] = left[1:]
	}
	if status := 0; answer == "" || answer[0] != '{' && answer[0] != '<' && answer[0] != 'd' {
		if _, err := fmt.Sscan(answer, &status); err != nil {
			status = http.StatusInternalServerError
		}
		w.WriteHeader(status)
		return
	}
	if strings.HasPrefix(answer, "data:") {
		w.Header().Set("Content-Type", "text/event-stream")
	}
	before, after, waits := strings.Cut(answer, pause)
	fmt.Fprint(w, before)
	if waits {
		w.(http.Flusher).Flush()
		select {
		case <-p.goOn:
		case <-r.Context().Done():
			return
		}
		fmt.Fprint(w, after)
	}
}

// until waits for a call.
func (p *peer) until(method string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !slices.Contains(p.calls, method) {
		p.called.Wait()
	}
}

func (p *peer) roles() map[string]server.Role {
	return map[string]server.Role{"peer": {Description: "works elsewhere", A2A: &server.RemoteAgent{
		URL: p.URL + "/card", Headers: map[string]string{"Authorization": "Bearer ${PEER_KEY}"},
	}}}
}

const key = "the-key-of-the-remote-agent"

func result(text string) string { return `{"jsonrpc":"2.0","id":1,"result":` + text + `}` }

func event(text string) string { return "data: " + result(text) + "\n\n" }

func state(s, message, more string) string {
	if message != "" {
		message = `,"message":{"kind":"message","messageId":"s","role":"agent","parts":[{"kind":"text","text":"` + message + `"}]}`
	}
	return `{"kind":"task","id":"T1","contextId":"C1","status":{"state":"` + s + `"` + message + `}` + more + `}`
}

const artifact = `,"artifacts":[{"artifactId":"a","parts":[{"kind":"text","text":"The answer."}]}]`

// update is an event that adds to an artifact.
func update(artifact, text string, more bool) string {
	said, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return event(fmt.Sprintf(`{"kind":"artifact-update","append":%t,"taskId":"T1","contextId":"C1","artifact":{"artifactId":%q,"parts":[{"kind":"text","text":%s}]}}`, more, artifact, said))
}

func repeated(n int, text func(i int) string) string {
	var all strings.Builder
	for i := range n {
		all.WriteString(text(i))
	}
	return all.String()
}

func TestRemoteAgentsOfAllKinds(t *testing.T) {
	tests := map[string]struct {
		streams bool
		skills  string
		answers map[string][]string
		status  nestor.TaskStatus
		result  string
		calls   []string
	}{
		"one that only answers": {
			answers: map[string][]string{"message/send": {result(`{"kind":"message","messageId":"x","role":"agent","parts":[{"kind":"text","text":"At once."}]}`)}},
			status:  nestor.TaskSuccess, result: "At once.", calls: []string{"message/send"},
		},
		"one that is asked again and again": {
			answers: map[string][]string{"message/send": {result(state("submitted", "", ""))}, "tasks/get": {result(state("working", "", "")), "503", result(state("completed", "", artifact))}},
			status:  nestor.TaskSuccess, result: "The answer.", calls: []string{"message/send", "tasks/get", "tasks/get", "tasks/get"},
		},
		"one that says it all in its status": {
			answers: map[string][]string{"message/send": {result(state("completed", "It is done.", ""))}},
			status:  nestor.TaskSuccess, result: "It is done.", calls: []string{"message/send"},
		},
		"one that says nothing": {
			answers: map[string][]string{"message/send": {result(state("completed", "", ""))}},
			status:  nestor.TaskSuccess, result: "said nothing", calls: []string{"message/send"},
		},
		"a stream that breaks off": {
			streams: true,
			answers: map[string][]string{
				"message/stream":    {event(state("submitted", "", "")) + event(`{"kind":"artifact-update","taskId":"T1","contextId":"C1","artifact":{"artifactId":"a","parts":[{"kind":"text","text":"The "}]}}`)},
				"tasks/get":         {result(state("working", "", ""))},
				"tasks/resubscribe": {event(`{"kind":"artifact-update","append":true,"taskId":"T1","contextId":"C1","artifact":{"artifactId":"a","parts":[{"kind":"text","text":"answer."}]}}`) + event(`{"kind":"status-update","taskId":"T1","contextId":"C1","final":true,"status":{"state":"completed"}}`)},
			},
			status: nestor.TaskSuccess, result: "The answer.", calls: []string{"message/stream", "tasks/get", "tasks/resubscribe"},
		},
		"one that takes back what it said": {
			streams: true,
			answers: map[string][]string{"message/stream": {
				event(state("submitted", "", "")) + event(`{"kind":"artifact-update","taskId":"T1","contextId":"C1","artifact":{"artifactId":"a","parts":[{"kind":"text","text":"Wrong."}]}}`) +
					event(`{"kind":"artifact-update","taskId":"T1","contextId":"C1","artifact":{"artifactId":"a","parts":[{"kind":"text","text":"Right."}]}}`) +
					event(`{"kind":"status-update","taskId":"T1","contextId":"C1","final":true,"status":{"state":"completed"}}`),
			}},
			status: nestor.TaskSuccess, result: "Right.", calls: []string{"message/stream"},
		},
		"one that fails": {
			answers: map[string][]string{"message/send": {result(state("failed", "No money.", ""))}},
			status:  nestor.TaskFailed, result: "the remote agent failed: No money.", calls: []string{"message/send", "tasks/cancel"},
		},
		"one that wants to be authorised": {
			answers: map[string][]string{"message/send": {result(state("auth-required", "Log in.", ""))}, "tasks/cancel": {result(state("canceled", "", ""))}},
			status:  nestor.TaskFailed, result: "wants to be authorised: Log in.", calls: []string{"message/send", "tasks/cancel"},
		},
		"one that refuses, and tells the key": {
			answers: map[string][]string{"message/send": {`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no","data":{"error":"I do not like ` + key + `"}}}`}},
			status:  nestor.TaskFailed, result: "refuses: I do not like ${PEER_KEY}", calls: []string{"message/send"},
		},
		"one that talks nonsense": {
			answers: map[string][]string{"message/send": {"<html>"}},
			status:  nestor.TaskFailed, result: "something else than JSON-RPC", calls: []string{"message/send"},
		},
		"one that goes on after the end": {
			streams: true,
			answers: map[string][]string{"message/stream": {
				event(state("submitted", "", "")) + update("a", "The answer.", false) + event(state("completed", "", "")) +
					update("a", "Another one.", false) + event(state("working", "", "")),
			}, "tasks/get": {result(state("completed", "", ""))}},
			status: nestor.TaskSuccess, result: "The answer.", calls: []string{"message/stream"},
		},
		"one that makes artifacts of nothing": {
			streams: true,
			answers: map[string][]string{"message/stream": {event(state("submitted", "", "")) + repeated(2000, func(i int) string { return update(fmt.Sprint(i), "", false) })}},
			status:  nestor.TaskFailed, result: "more than 1000 artifacts", calls: []string{"message/stream", "tasks/cancel"},
		},
		"one that takes everything back": {
			streams: true,
			answers: map[string][]string{"message/stream": {event(state("submitted", "", "")) + strings.Repeat(update("a", "Yes.", false)+update("a", "No.", false), 6000)}},
			status:  nestor.TaskFailed, result: "takes back", calls: []string{"message/stream", "tasks/cancel"},
		},
		"one with a status without end": {
			answers: map[string][]string{"message/send": {result(state("input-required", strings.Repeat("More? ", 1<<17), ""))}},
			status:  nestor.TaskFailed, result: "says more than 524288 bytes", calls: []string{"message/send"},
		},
		"one that fails at length": {
			answers: map[string][]string{"message/send": {result(state("failed", strings.Repeat("No. ", 1<<16), ""))}},
			status:  nestor.TaskFailed, result: "No. No", calls: []string{"message/send", "tasks/cancel"},
		},
		"one that fails and tells the key": {
			answers: map[string][]string{"message/send": {result(state("failed", "Bearer "+key, ""))}},
			status:  nestor.TaskFailed, result: "Bearer ${PEER_KEY}", calls: []string{"message/send", "tasks/cancel"},
		},
		"one that answers with the key": {
			answers: map[string][]string{"message/send": {result(state("completed", "Bearer "+key, ""))}},
			status:  nestor.TaskSuccess, result: "Bearer ${PEER_KEY}", calls: []string{"message/send"},
		},
		"one with an id without end": {
			answers: map[string][]string{"message/send": {strings.ReplaceAll(result(state("working", "", "")), "T1", strings.Repeat("T1", 1<<18))}},
			status:  nestor.TaskFailed, result: "names its task with more than", calls: []string{"message/send"},
		},
		"one with very many values": {
			answers: map[string][]string{"message/send": {result(state("completed", "", `,"artifacts":[`+strings.Repeat(`{},`, 500_000)+`{}]`))}},
			status:  nestor.TaskFailed, result: "more than 100000 values", calls: []string{"message/send"},
		},
		"one whose card has very many values": {
			skills: strings.Repeat(`{},`, 300_000) + "{}",
			status: nestor.TaskFailed, result: "more than 100000 values",
		},
		"one that forgets": {
			answers: map[string][]string{"message/send": {result(state("working", "", ""))}, "tasks/get": {`{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"task not found"}}`}},
			status:  nestor.TaskFailed, result: "does not know its task any more", calls: []string{"message/send", "tasks/get", "tasks/cancel"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.answers == nil {
				tt.answers = map[string][]string{}
			}
			if tt.answers["tasks/cancel"] == nil {
				tt.answers["tasks/cancel"] = []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"task cannot be canceled"}}`}
			}
			far := newPeer(t, &peer{streams: tt.streams, skills: tt.skills, answers: tt.answers})
			p := enterHere(t, server.Config{Data: t.TempDir()}, key, far.roles())
			p.begins("t1", "Do it")
			task := p.task("t1")
			if got := task.Result + task.Error; task.Status != tt.status || !strings.Contains(got, tt.result) || strings.Contains(got, key) || len(got) > 4096 {
				t.Errorf("the task is %.1000s", fmt.Sprintf("%+v", task))
			}
			if got := strings.Join(far.calls, " "); got != strings.Join(tt.calls, " ") {
				t.Errorf("it was called: %s", got)
			}
		})
	}
}

// A message whose fate is not known is sent again with the same id.
func TestAMessageThatIsSentAgainHasTheSameID(t *testing.T) {
	far := newPeer(t, &peer{answers: map[string][]string{"message/send": {"502", result(state("completed", "", artifact))}}})
	p := enterHere(t, server.Config{Data: t.TempDir()}, key, far.roles())
	p.begins("t1", "Do it")
	if task := p.task("t1"); task.Status != nestor.TaskSuccess {
		t.Errorf("the task is %+v", task)
	}
	if len(far.ids) != 2 || far.ids[0] != far.ids[1] {
		t.Errorf("the messages are %v", far.ids)
	}
}

// A card that names another host does not get that host the key.
func TestTheKeyGoesToTheHostOfTheCardOnly(t *testing.T) {
	other := newPeer(t, &peer{seen: func(*http.Request) { t.Error("the other host was asked") }})
	far := newPeer(t, &peer{url: other.URL + "/rpc", seen: func(r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+key {
			t.Errorf("the card was asked for with %q", r.Header.Get("Authorization"))
		}
	}})
	p := enterHere(t, server.Config{Data: t.TempDir()}, key, far.roles())
	p.begins("t1", "Do it")
	if task := p.task("t1"); task.Status != nestor.TaskFailed || !strings.Contains(task.Error, "another host") {
		t.Errorf("the task is %+v", task)
	}
}

// A stream that says nothing and does not end holds up an attempt, not the agent.
func TestAStreamThatDoesNotEndIsLeft(t *testing.T) {
	defer remote.FollowFor(time.Second)()
	far := newPeer(t, &peer{streams: true, goOn: make(chan struct{}), answers: map[string][]string{
		"message/stream": {event(state("working", "", "")) + pause},
		"tasks/get":      {result(state("completed", "", artifact))},
	}})
	p := enterHere(t, server.Config{Data: t.TempDir()}, key, far.roles())
	p.begins("t1", "Do it")
	if task := p.task("t1"); task.Status != nestor.TaskSuccess || task.Result != "The answer." {
		t.Errorf("the task is %+v", task)
	}
}

func TestTheKeyDoesNotLeaveTLS(t *testing.T) {
	for endpoint, may := range map[string]bool{
		"https://peer.example/rpc": true, "http://peer.example/rpc": false, "https://other.example/rpc": false, "https://peer.example:8443/rpc": false, "file:///etc/passwd": false,
	} {
		if remote.MayHave("https://peer.example/card", endpoint) != may {
			t.Errorf("%s: want %t", endpoint, may)
		}
	}
}

// PostgreSQL keeps no character zero, and SQLite does: both show the same.
func TestWhatNoDatabaseKeepsIsLeftOut(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		for name, tt := range map[string]struct {
			answer string
			status nestor.TaskStatus
			result string
		}{
			"a text":    {state("completed", "", strings.Replace(artifact, "The answer.", `The\u0000 answer\ud800.`, 1)), nestor.TaskSuccess, " answer"},
			"a reason":  {state("failed", `No\u0000 money.`, ""), nestor.TaskFailed, " money."},
			"an ask":    {state("input-required", `Which\u0000 one?`, ""), nestor.TaskWaiting, " one?"},
			"a task":    {strings.ReplaceAll(state("completed", "", artifact), "T1", `T\u00001`), nestor.TaskFailed, "cannot be kept"},
			"a context": {strings.ReplaceAll(state("completed", "", artifact), "C1", `C\u00001`), nestor.TaskFailed, "cannot be kept"},
		} {
			t.Run(name, func(t *testing.T) {
				far := newPeer(t, &peer{answers: map[string][]string{"message/send": {result(tt.answer)}, "tasks/cancel": {result(state("canceled", "", ""))}}})
				here := cfg
				here.Data = t.TempDir()
				p := enterHere(t, here, key, far.roles())
				id := "t-" + strings.ReplaceAll(name, " ", "-")
				p.begins(id, "Do it")
				if task := p.task(id); task.Status != tt.status || !strings.Contains(task.Result+task.Error+task.Question, tt.result) {
					t.Errorf("the task is %+v", task)
				}
			})
		}
	})
}
