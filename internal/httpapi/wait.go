package httpapi

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/store"
)

// Runs tells what came of what was said.
type Runs interface {
	// Shown is what the caller may see of a run when it has ended or waits for somebody, or
	// after so long.
	Shown(r *Request, run nestor.Path, wait time.Duration) (nestor.RunResult, error)
}

// How long a request waits for a run that does not say how long, and at most.
const (
	defaultWait = 30 * time.Second
	maxWait     = 5 * time.Minute
)

// WaitParameter says whether a request waits for what comes of it.
func WaitParameter(description string) Parameter {
	return Parameter{
		Name: "wait", Description: description + " The header Prefer: wait=SECONDS says another time.",
		Schema: openapi.Enum("0", "1"), Example: "0",
	}
}

// awaitable describes a request that begins a run with a document of that name.
func awaitable(name string) []Parameter {
	return []Parameter{WaitParameter("1: the answer is what came of the " + name +
		", once its run has ended or waits for somebody (200), or after 30 seconds the run as it stands (202).")}
}

// createsOrAwaits are the answers to such a request: the document, or what came of it.
func createsOrAwaits(schema string) openapi.Answers {
	return openapi.Answers{
		http.StatusCreated:  openapi.Ref(schema),
		http.StatusOK:       {AnyOf: []*jsonschema.Schema{openapi.Ref(schema), openapi.Ref("RunResult")}},
		http.StatusAccepted: openapi.Ref("RunResult"),
	}
}

// Wait is how long the caller wants to wait for what comes of the request.
func (r *Request) Wait() (time.Duration, error) { return waitOf(r.Request) }

// waitOf is how long a request wants to wait for what comes of it: by ?wait=1, or by
// the header Prefer: wait=SECONDS (RFC 7240). Zero is not at all.
func waitOf(r *http.Request) (time.Duration, error) {
	for _, header := range r.Header.Values("Prefer") {
		for preference := range strings.SplitSeq(header, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(preference), "=")
			if !strings.EqualFold(strings.TrimSpace(name), "wait") {
				continue
			}
			seconds, err := strconv.ParseUint(strings.Trim(strings.TrimSpace(value), `"`), 10, 31)
			if err != nil {
				return 0, nestor.Errorf(nestor.CodeInvalid, "Prefer: wait is a number of seconds, such as wait=30")
			}
			return min(time.Duration(seconds)*time.Second, maxWait), nil
		}
	}
	switch r.URL.Query().Get("wait") {
	case "", "0":
		return 0, nil
	case "1":
		return defaultWait, nil
	}
	return 0, nestor.Errorf(nestor.CodeInvalid, "wait is 0 or 1; for another time than %d seconds send the header Prefer: wait=SECONDS", int(defaultWait.Seconds()))
}

// awaited answers with what came of the document that create writes into a chat, if the
// request wants to wait for that, and with the document otherwise. Who sees no runs cannot
// wait for one, and is told so before anything is written.
func (s *server) awaited(r *http.Request, chat nestor.Path, create func() (response, error)) (response, error) {
	wait, err := waitOf(r)
	if err != nil {
		return response{}, err
	}
	if runs := chat.Tenant() + "/runs"; wait > 0 && !callerOf(r).ReachesSome(nestor.Glob(runs+"/*")) {
		return response{}, nestor.Errorf(nestor.CodeForbidden, "your token or key is not for %s, so it cannot wait for a run; ask without wait", runs)
	}
	if wait > 0 {
		done, err := s.streams.Take(callerOf(r).UserID, 1)
		if err != nil {
			return response{}, err
		}
		defer done()
	}
	res, err := create()
	if err != nil || wait == 0 {
		return res, err
	}
	return s.awaitRun(r, res.body.(*nestor.Document), wait)
}

// awaitRun answers with what came of a document that began a run: 200 if the run has
// ended or waits for somebody, 202 if it runs on.
func (s *server) awaitRun(r *http.Request, d *nestor.Document, wait time.Duration) (response, error) {
	var began struct {
		RunID string `json:"runId"`
	}
	if err := d.Decode(&began); err != nil {
		return response{}, err
	}
	if s.Runs == nil || began.RunID == "" {
		return response{}, nestor.Errorf(nestor.CodeUnavailable, "this server has no runs to wait for")
	}
	result, err := s.Runs.Shown(newRequest(r, s), store.RunAt(d.Path, began.RunID), wait)
	res := response{body: result}
	if result.Run.Status == nestor.RunRunning {
		res.status = http.StatusAccepted
	}
	return res, err
}

// Say writes what the caller says into a chat, as POST /chats/{chat}/messages does, and
// returns the message. The run that it began is its runId. Id is the message's own, or
// "" for a new one.
func (r *Request) Say(chat nestor.Path, id, content string) (m nestor.Message, err error) {
	return r.sayContent(chat, id, contentOf(content, nil))
}

// SayParts is Say for what is said in parts. Their files must be the caller's, or the
// chat's.
func (r *Request) SayParts(chat nestor.Path, id string, parts []nestor.Part) (m nestor.Message, err error) {
	return r.sayContent(chat, id, contentOf("", parts))
}

func (r *Request) sayContent(chat nestor.Path, id string, said content) (m nestor.Message, err error) {
	if err := said.check(); err != nil {
		return m, err
	}
	res, err := r.server.say(r.Request, chat, newMessage{ID: id, Content: said})
	if err != nil {
		return m, err
	}
	r.Tells(chat)
	return nestor.As[nestor.Message](res.body.(*nestor.Document))
}
