package crashtest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// request is what a model is asked, in the wire format of OpenAI.
type request struct {
	Messages []struct {
		Role      string `json:"role"`
		Content   string `json:"content"`
		ToolCalls []struct {
			ID       string `json:"id"`
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tool_calls"`
		ToolCallID string `json:"tool_call_id"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
}

// check reports a conversation that no provider takes: every call must be
// answered by the messages right after it, and no answer may lack its call.
func (r *request) check() error {
	var open []string
	for _, m := range r.Messages {
		if m.Role == "tool" {
			i := slices.Index(open, m.ToolCallID)
			if i < 0 {
				return fmt.Errorf("an answer to %q, which is not open", m.ToolCallID)
			}
			open = slices.Delete(open, i, i+1)
			continue
		}
		if len(open) > 0 {
			return fmt.Errorf("calls without an answer: %q", open)
		}
		for _, c := range m.ToolCalls {
			if !takenName.MatchString(c.Function.Name) {
				return fmt.Errorf("a call of %q", c.Function.Name)
			}
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("calls without an answer: %q", open)
	}
	return nil
}

// takenName is a name of a tool that all providers take.
var takenName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// has reports whether a tool is offered.
func (r *request) has(name string) bool {
	for _, t := range r.Tools {
		if t.Function.Name == name {
			return true
		}
	}
	return false
}

// last is what a role said last.
func (r *request) last(role string) (text string) {
	for _, m := range r.Messages {
		if m.Role == role {
			text = m.Content
		}
	}
	return text
}

// cue finds what the model says to the request.
func (r *request) cue() (*cue, error) {
	var found []*cue
	for _, l := range script {
		if l.when(r) {
			found = append(found, l)
		}
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%d lines of the script fit this request: %.2000s", len(found), r.said())
	}
	return found[0], nil
}

func (r *request) system() string { return r.text("system") }

// said is what users said, the runtime on their behalf included.
func (r *request) said() string { return r.text("user") }

func (r *request) text(role string) string {
	var texts []string
	for _, m := range r.Messages {
		if m.Role == role {
			texts = append(texts, m.Content)
		}
	}
	return strings.Join(texts, "\n\n")
}

func (r *request) endsWith(text string) bool { return strings.HasSuffix(r.said(), text) }

func (r *request) find(pattern *regexp.Regexp) string {
	if found := pattern.FindStringSubmatch(r.said()); found != nil {
		return found[1]
	}
	return ""
}

// offers reports whether the tools are these and no others.
func (r *request) offers(names ...string) bool {
	if len(r.Tools) != len(names) {
		return false
	}
	for i, t := range r.Tools {
		if t.Function.Name != names[i] {
			return false
		}
	}
	return true
}

func (r *request) isOrchestrators() bool { return r.has("create_agent") && !r.has("final_answer") }

func (r *request) offersTo(role string) bool {
	return r.offers(append(slices.Clone(roles.Roles[role].Tools), "final_answer", "ask_user")...)
}

// isAgents reports whether an agent of that role asks which the model has
// answered so often before.
func (r *request) isAgents(role string, replies int) bool {
	n := 0
	for _, m := range r.Messages {
		if m.Role == "assistant" {
			n++
		}
	}
	return r.offersTo(role) && n == replies && !strings.Contains(r.said(), memory.text)
}
