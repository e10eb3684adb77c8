package export

import (
	"encoding/json"
	"io"

	"github.com/nestorhq/nestor"
)

// jsonFile writes a chat for programs: {"chat", "messages", "tasks", "agents": [{"agent",
// "messages", "toolCalls"}]}, each document as the API has it.
type jsonFile struct {
	w io.Writer
	// in are the lists and objects that are open, the innermost last.
	in []scope
}

// scope is a list, or a list within an object, that is being written.
type scope struct {
	name string
	some bool // it has something
}

func (f *jsonFile) text(s string) error {
	_, err := io.WriteString(f.w, s)
	return err
}

func (f *jsonFile) value(v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = f.w.Write(raw)
	return err
}

func (f *jsonFile) begin(c *nestor.Chat) error {
	if err := f.text(`{"chat":`); err != nil {
		return err
	}
	if err := f.value(c); err != nil {
		return err
	}
	return f.open("messages")
}

// open begins a list below what is open.
func (f *jsonFile) open(name string) error {
	f.in = append(f.in, scope{name: name})
	return f.text(`,"` + name + `":[`)
}

func (f *jsonFile) shut() error {
	f.in = f.in[:len(f.in)-1]
	return f.text("]")
}

// into makes a list the innermost one that is open: it shuts others and opens it.
func (f *jsonFile) into(name string, depth int) error {
	for len(f.in) > depth || len(f.in) == depth && f.in[depth-1].name != name {
		closes := len(f.in) == 2 // an agent ends with its last list
		if err := f.shut(); err != nil {
			return err
		}
		if closes && depth == 1 {
			if err := f.text("}"); err != nil {
				return err
			}
		}
	}
	if len(f.in) == depth {
		return nil
	}
	return f.open(name)
}

// item writes one more thing into the innermost list.
func (f *jsonFile) item(v any) error {
	if err := f.comma(); err != nil {
		return err
	}
	return f.value(v)
}

func (f *jsonFile) comma() error {
	last := &f.in[len(f.in)-1]
	if last.some {
		return f.text(",")
	}
	last.some = true
	return nil
}

func (f *jsonFile) message(m *nestor.Message) error { return f.item(m) }

func (f *jsonFile) task(t *nestor.Task) error {
	if err := f.into("tasks", 1); err != nil {
		return err
	}
	return f.item(t)
}

func (f *jsonFile) agent(a *nestor.SubAgent) error {
	if err := f.into("agents", 1); err != nil {
		return err
	}
	if err := f.comma(); err != nil {
		return err
	}
	if err := f.text(`{"agent":`); err != nil {
		return err
	}
	if err := f.value(a); err != nil {
		return err
	}
	return f.open("messages")
}

func (f *jsonFile) agentMessage(m *nestor.SubAgentMessage) error { return f.item(m) }

func (f *jsonFile) call(c *nestor.ToolCall) error {
	if err := f.into("toolCalls", 2); err != nil {
		return err
	}
	return f.item(c)
}

func (f *jsonFile) end() error {
	if len(f.in) == 2 {
		if err := f.shut(); err != nil {
			return err
		}
		if err := f.text("}"); err != nil {
			return err
		}
	}
	if err := f.shut(); err != nil {
		return err
	}
	return f.text("}\n")
}
