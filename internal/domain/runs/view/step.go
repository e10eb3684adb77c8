package view

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
	graphs "github.com/nestorhq/nestor/internal/domain/graphs/record"
	priority "github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/store"
)

// RunStep is all that is known of a row.
type RunStep struct {
	ID string `json:"id"`
	// Text is what was said, asked or answered; that of an agent is its instruction.
	Text string `json:"text,omitempty"`
	// Reasoning is what the model thought.
	Reasoning string `json:"reasoning,omitempty"`
	// Calls are what a model asked for, Args what a call was made with.
	Calls []RunCall       `json:"calls,omitempty"`
	Args  json.RawMessage `json:"args,omitempty"`
	// Result is what came of a call, a node or an agent.
	Result string `json:"result,omitempty"`
	Error  string `json:"error,omitempty"`
	// FinishReason is why the model stopped.
	FinishReason string `json:"finishReason,omitempty"`
	// Files are the names of those that came with it.
	Files []string `json:"files,omitempty"`
	// Decisions are what people said about a call.
	Decisions []nestor.Decision `json:"decisions,omitempty"`
}

// RunCall is a call as a model asked for it.
type RunCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Step reads what there is to know of a row of a run. What is not part of the run is not
// found, whether or not it is there.
func Step(docs store.Reader, run *nestor.Run, row string) (RunStep, error) {
	path, mark, _ := strings.Cut(row, stepMark)
	p, err := nestor.ParsePath(string(run.Of(nestor.Path(path))))
	if err != nil {
		return RunStep{}, noRow(row)
	}
	d, err := docs.Get(p)
	if nestor.CodeOf(err) == nestor.CodeNotFound {
		return RunStep{}, noRow(row)
	}
	if err != nil {
		return RunStep{}, err
	}
	s, runID, err := stepOf(docs, d, mark)
	if err == nil && runID != run.ID && store.SubAgents.Has(p) { // it works for another run by now
		return workedFor(docs, p, run, row)
	}
	if err == nil && runID != run.ID {
		return RunStep{}, noRow(row)
	}
	s.ID = row
	return s, err
}

// workedFor is what is known of an agent that worked for a run, and since for another: what
// the first thing was that it was told for this one.
func workedFor(docs store.Reader, agent nestor.Path, run *nestor.Run, row string) (RunStep, error) {
	where := store.Filter{And: []store.Filter{*store.Where(store.RunField, store.Eq, run.ID), *store.Where("role", store.Eq, string(nestor.RoleUser))}}
	page, err := docs.Query(store.Query{Collection: string(agent) + "/messages", Where: &where, Limit: 1})
	if err != nil {
		return RunStep{}, err
	}
	if len(page.Items) == 0 {
		return RunStep{}, noRow(row)
	}
	m, err := nestor.As[nestor.SubAgentMessage](page.Items[0])
	return RunStep{ID: row, Text: m.Content}, err
}

func noRow(row string) error {
	return nestor.Errorf(nestor.CodeNotFound, "the run has no row %s", row)
}

// stepOf is what a document tells, and the run that it is part of.
func stepOf(docs store.Reader, d *nestor.Document, mark string) (s RunStep, runID string, err error) {
	switch {
	case store.Messages.Has(d.Path):
		m, err := nestor.As[nestor.Message](d)
		s = RunStep{Text: m.Content, Calls: callsOf(m.ToolCalls), Files: filesOf(m.Parts)}
		s.tell(m.Metadata)
		return s, m.RunID, err
	case store.SubAgentMessages.Has(d.Path):
		m, err := nestor.As[nestor.SubAgentMessage](d)
		s = RunStep{Text: m.Content, Calls: callsOf(m.ToolCalls), Files: filesOf(m.Parts)}
		s.tell(m.Metadata)
		return s, m.RunID, err
	case store.SubAgentToolCalls.Has(d.Path):
		c, err := nestor.As[nestor.ToolCall](d)
		return RunStep{Args: c.Args, Result: c.Result, Error: c.Error, Decisions: c.Decisions}, c.RunID, err
	case store.Tasks.Has(d.Path):
		t, err := nestor.As[nestor.Task](d)
		return RunStep{Text: t.Instruction, Args: t.Args, Result: t.Result, Error: t.Error}, t.RunID, err
	case store.SubAgents.Has(d.Path):
		a, err := nestor.As[nestor.SubAgent](d)
		if err != nil {
			return s, "", err
		}
		t, err := store.Find[nestor.Task](docs, d.Path.Parent().Child("tasks", a.TaskID))
		if t != nil {
			s = RunStep{Text: t.Instruction, Args: t.Args, Result: t.Result, Error: t.Error}
		}
		return s, a.RunID, err
	case graphs.Executions.Has(d.Path):
		x, err := nestor.As[graphs.AgentGraphExecution](d)
		s = RunStep{Args: x.Input, Result: encoded(x.Output)}
		if x.Error != nil {
			s.Error = x.Error.Message
		}
		return s, x.RunID, err
	case graphs.Resolutions.Has(d.Path):
		return resolved(docs, d)
	case priority.Sessions.Has(d.Path):
		return thought(docs, d, mark)
	}
	return s, "", nil
}

func resolved(docs store.Reader, d *nestor.Document) (s RunStep, runID string, err error) {
	r, err := nestor.As[graphs.Resolution](d)
	if err != nil {
		return s, "", err
	}
	x, err := store.Find[graphs.AgentGraphExecution](docs, d.Path.Parent())
	if err != nil || x == nil {
		return s, "", err
	}
	s = RunStep{Text: r.NodeID, Args: json.RawMessage(encoded(r.Inputs)), Result: encoded(r.Outputs)}
	if r.Error != nil {
		s.Error = r.Error.Message
	}
	return s, x.RunID, nil
}

// thought is a prioritisation, or the step of it with a number.
func thought(docs store.Reader, d *nestor.Document, number string) (s RunStep, runID string, err error) {
	session, err := nestor.As[priority.AgentSession](d)
	if err != nil || number == "" {
		return RunStep{Error: session.Error}, session.RunID, err
	}
	trace, err := findTrace(docs, d.Path)
	if err != nil || trace == nil {
		return s, "", err
	}
	for i := range trace.Steps {
		step := &trace.Steps[i]
		if strconv.Itoa(step.StepNumber) != number {
			continue
		}
		s = RunStep{Args: step.ToolInput, Result: string(step.ToolOutput), Error: step.Error}
		if step.Thought != nil {
			s.Text = *step.Thought
		}
		return s, session.RunID, nil
	}
	return s, "", nil
}

// tell adds what is known of the model's reply. What providers get back, such as
// signatures, is nobody else's.
func (s *RunStep) tell(m *nestor.MessageMetadata) {
	if m == nil {
		return
	}
	s.FinishReason = m.FinishReason
	var blocks []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(m.Reasoning, &blocks) != nil {
		return // none, or somebody else's
	}
	var texts []string
	for _, b := range blocks {
		if b.Text != "" {
			texts = append(texts, b.Text)
		}
	}
	s.Reasoning = strings.Join(texts, "\n\n")
}

func callsOf(all []nestor.ToolRequest) (calls []RunCall) {
	for _, c := range all {
		calls = append(calls, RunCall{c.Function.Name, c.Function.Arguments})
	}
	return calls
}

func filesOf(parts []nestor.Part) (names []string) {
	for _, p := range parts {
		if p.FileID != "" {
			names = append(names, p.Name)
		}
	}
	return names
}

func encoded(values map[string]json.RawMessage) string {
	if len(values) == 0 {
		return ""
	}
	raw, err := json.Marshal(values)
	if err != nil {
		return "" // what was stored is JSON
	}
	return string(raw)
}
