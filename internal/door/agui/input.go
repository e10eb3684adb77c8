package agui

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs/need"
	"github.com/nestorhq/nestor/internal/door/turn"
	"github.com/nestorhq/nestor/internal/httpapi"
)

// input is a RunAgentInput: what the client wants, and what it knows of the thread.
type input struct {
	ThreadID string `json:"threadId"`
	RunID    string `json:"runId"`
	// ProtocolVersion is that of the client, which says none before 1.0.
	ProtocolVersion string          `json:"protocolVersion"`
	State           json.RawMessage `json:"state"`
	Messages        []sent          `json:"messages"`
	Context         []struct {
		Description string `json:"description"`
		Value       string `json:"value"`
	} `json:"context"`
	Tools  []nestor.ClientTool `json:"tools"`
	Resume []resume            `json:"resume"`
}

// sent is a message that the client has.
type sent struct {
	ID         string          `json:"id"`
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"toolCallId"`
	Error      string          `json:"error"`
	raw        json.RawMessage
}

// UnmarshalJSON keeps the message as it is, too.
func (s *sent) UnmarshalJSON(text []byte) error {
	type plain sent
	if err := json.Unmarshal(text, (*plain)(s)); err != nil {
		return err
	}
	s.raw = slices.Clone(text)
	return nil
}

func (s *sent) message() *message {
	m := &message{ID: s.ID, Role: s.Role, ToolCallID: s.ToolCallID, sent: s.raw}
	return m
}

// resume is the answer to an interrupt.
type resume struct {
	InterruptID string          `json:"interruptId"`
	Status      string          `json:"status"`
	Payload     json.RawMessage `json:"payload"`
}

func (in *input) check() error {
	switch {
	case in.ThreadID == "":
		return nestor.Errorf(nestor.CodeInvalid, "threadId must not be empty").With("field", "threadId")
	case in.RunID == "":
		return nestor.Errorf(nestor.CodeInvalid, "runId must not be empty").With("field", "runId")
	}
	for _, m := range in.Messages {
		if m.ID == "" {
			return nestor.Errorf(nestor.CodeInvalid, "every message needs an id").With("field", "messages")
		}
	}
	for _, r := range in.Resume {
		if r.Status != "resolved" && r.Status != "cancelled" {
			return nestor.Errorf(nestor.CodeInvalid, "the status of an answer is resolved or cancelled, not %.40q", r.Status).With("field", "resume")
		}
	}
	return nil
}

// newest is the newest message of the person, nil if there is none.
func (in *input) newest() *sent {
	for i, m := range slices.Backward(in.Messages) {
		if m.Role == "user" {
			return &in.Messages[i]
		}
	}
	return nil
}

// results are the messages at the end that have results of tools.
func (in *input) results() []sent {
	i := len(in.Messages)
	for i > 0 && in.Messages[i-1].Role == "tool" {
		i--
	}
	return in.Messages[i:]
}

// instructions are what the client has the participant know: messages of the system and
// of the developer, and the context.
func (in *input) instructions() (string, error) {
	var all []string
	for _, m := range in.Messages {
		if m.Role != "system" && m.Role != "developer" {
			continue
		}
		text, err := texts(m.Content)
		if err != nil {
			return "", err
		}
		all = append(all, text)
	}
	for _, c := range in.Context {
		all = append(all, "# "+c.Description+"\n"+c.Value)
	}
	return strings.Join(all, "\n\n"), nil
}

// settlement is an answer to something that a run waits for.
type settlement struct {
	wait   turn.Wait
	answer turn.Answer
}

// act does what the client wants and returns the runs that it is to be told of. What is
// wrong with the input is found before anything is done.
func (in *input) act(req *httpapi.Request, thread *turn.Thread) (legs []turn.Leg, err error) {
	settlements, err := in.settlements(thread)
	if err != nil {
		return nil, err
	}
	instructions, err := in.instructions()
	if err != nil {
		return nil, err
	}
	newest := in.newest()
	if thread.New && newest == nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the thread is new, and no message of role user says anything").With("field", "messages")
	}
	saying := newest != nil && (len(settlements) == 0 || in.Messages[len(in.Messages)-1].ID == newest.ID && !thread.Said(newest.ID))
	var content turn.Content
	if saying {
		said, err := pieces(newest.Content)
		if err != nil {
			return nil, err
		}
		if content, err = thread.Take(said); err != nil {
			return nil, err
		}
		if err := thread.Place(newest.ID, "", content, false); err != nil {
			return nil, err
		}
		if err := thread.Brief(instructions, in.Tools); err != nil {
			return nil, err
		}
	}
	for _, s := range settlements {
		if err := s.wait.Settle(req, s.answer); err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(legs, func(l turn.Leg) bool { return l.Run == s.wait.Run }); i >= 0 {
			legs[i].After = append(legs[i].After, s.wait.ID)
		} else {
			legs = append(legs, turn.Leg{Run: s.wait.Run, After: []string{s.wait.ID}})
		}
	}
	if saying {
		run, err := thread.Say(content)
		if err != nil {
			return nil, err
		}
		return append(legs, turn.Leg{Run: run}), nil
	}
	if len(legs) > 0 {
		return legs, nil
	}
	// A client that knows nothing of the thread wants to see where it stands.
	latest, err := thread.Latest()
	if err != nil || latest == nil || latest.Status.Ended() {
		return nil, err
	}
	return []turn.Leg{{Run: thread.RunAt(latest.ID)}}, nil
}

// settlements are the answers to interrupts and the results of the client's tools.
func (in *input) settlements(thread *turn.Thread) (all []settlement, err error) {
	for _, r := range in.Resume {
		w, err := thread.Find(r.InterruptID)
		if err != nil {
			return nil, err
		}
		a, err := r.answer(w.Kind)
		if err != nil {
			return nil, err
		}
		all = append(all, settlement{w, a})
	}
	for _, m := range in.results() {
		w, err := thread.Find(m.ToolCallID)
		if err != nil {
			return nil, err
		}
		if w.Kind != need.Result {
			continue // the result of a tool of the server
		}
		a := turn.Answer{Text: m.Error, Failed: m.Error != ""}
		if !a.Failed {
			if a.Text, err = texts(m.Content); err != nil {
				return nil, err
			}
		}
		all = append(all, settlement{w, a})
	}
	return all, nil
}
