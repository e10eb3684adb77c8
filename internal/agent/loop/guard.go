package loop

import (
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/ask"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/controltool"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/tool"
)

// Guards decide about the calls of a reply before any stage sees them, so that
// they hold whoever runs tools: a call that makes no sense is answered here; one
// that needs approval waits for it, and control calls are carried out, when the
// call is written ([lifecycle.Admit]). What is left is pending: only that is for
// the tool runner, or a program in its place.

// understand takes the calls of a reply as they are meant.
func (s *step) understand(r *ask.Reply) {
	s.calls = slices.Clone(r.Calls)
	for i := range s.calls {
		c := &s.calls[i]
		c.Name, c.Arguments = s.tools.Meant(c.Name, c.Arguments, s.controls...)
	}
}

// sent is a call of the reply as the model sent it, nil if it is made like that.
func (s *step) sent(r *ask.Reply, i int) *nestor.FunctionCall {
	c, meant := r.Calls[i], s.calls[i]
	if c.Name == meant.Name && c.Arguments == meant.Arguments {
		return nil
	}
	return &nestor.FunctionCall{Name: c.Name, Arguments: c.Arguments}
}

// guard answers the calls of a reply that must not be run at all.
func (s *step) guard() {
	for i, c := range s.calls {
		if _, done := s.done[i]; done || !s.beside(i) {
			continue
		}
		if err := s.refuse(c); err != nil {
			if s.done == nil {
				s.done = map[int]doneCall{}
			}
			s.done[i] = doneCall{started: chatdoc.Now(), Result: tool.Result{
				Status: nestor.ToolCallFailed, Code: nestor.CodeOf(err), Error: err.Error(),
			}}
		}
	}
}

// refuse reports why a call cannot be carried out. Its error is for the model.
func (s *step) refuse(c llm.ToolCall) error {
	arguments := conversation.ArgumentText(conversation.Arguments(c))
	if c.Name == controltool.FinalAnswer {
		if _, err := s.readEnding(c.Name, arguments); err != nil {
			return err
		}
	}
	if controltool.Has(c.Name) {
		_, err := controltool.Understand(c.Name, arguments, s.role, s.agent.Depth)
		return err
	}
	return s.tools.Check(c.Name, arguments, s.controls...)
}
