package replication

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// state is the content of a document: what a client may change of it. The
// server's stamps, RxDB's own fields and the ids on the path are not part of
// it, nor is an empty text that stands for a field which the document lacks.
type state struct {
	id      string
	keys    []string // the ids on the path, "" where the client gave none
	deleted bool
	fields  map[string]json.RawMessage
	values  map[string]any // the same, decoded as JavaScript does
}

// readState reads a document as a client sends it.
func readState(c *store.Collection, text json.RawMessage) (*state, error) {
	s := &state{keys: make([]string, len(c.Keys))}
	for _, v := range []any{&s.fields, &s.values} {
		if err := json.Unmarshal(text, v); err != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "a document state is not a JSON object: %v", err)
		}
	}
	if s.fields == nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "a document state is missing")
	}
	s.id, _ = s.values["id"].(string)
	s.deleted, _ = s.values["_deleted"].(bool)
	for i, k := range c.Keys {
		s.keys[i], _ = s.values[k.Field].(string)
		s.drop(k.Field)
	}
	for name := range s.fields {
		if nestor.IsReserved(name) || strings.HasPrefix(name, "_") {
			s.drop(name)
		}
	}
	for _, name := range formOf(c).filled {
		if s.values[name] == "" {
			s.drop(name)
		}
	}
	return s, nil
}

// masterState is the state of a stored document, nil for none.
func masterState(c *store.Collection, d *nestor.Document) (*state, error) {
	if d == nil {
		return &state{deleted: true}, nil
	}
	return readState(c, d.Data)
}

func (s *state) drop(field string) {
	delete(s.fields, field)
	delete(s.values, field)
}

// equal reports whether two states are the same to a JavaScript client.
func (s *state) equal(t *state) bool {
	return s.deleted == t.deleted && (s.deleted || reflect.DeepEqual(s.values, t.values))
}

// over is the body that replaces master's. Fields that are equal keep the
// master's text: JavaScript rounds large numbers.
func (s *state) over(master *state) map[string]json.RawMessage {
	body := make(map[string]json.RawMessage, len(s.fields))
	for name, text := range s.fields {
		if old, ok := master.values[name]; ok && reflect.DeepEqual(old, s.values[name]) {
			text = master.fields[name]
		}
		body[name] = text
	}
	return body
}

// placed are the fields that the server fills in where a client that creates a
// document leaves them out.
var placed = map[*store.Collection][]string{
	store.Chats:    {"accountId", "projectId"},
	store.Messages: {"authorId"}, store.SubAgentMessages: {"authorId"},
	store.Tasks: {"askedBy"}, store.SubAgents: {"askedBy"}, store.SubAgentToolCalls: {"askedBy"},
}

// inherit completes the states of a client by the fields of the master that it
// does not know of yet: those that neither of them has. A missing state stays so.
func inherit(fields []string, next, assumed, master *state) (*state, *state) {
	for _, name := range fields {
		if _, ok := master.fields[name]; !ok || next.has(name) || assumed != nil && assumed.has(name) {
			continue
		}
		next = next.with(name, master)
		if assumed != nil {
			assumed = assumed.with(name, master)
		}
	}
	return next, assumed
}

func (s *state) has(field string) bool {
	_, ok := s.fields[field]
	return ok
}

// with is s with a field of another state added.
func (s *state) with(field string, from *state) *state {
	t := *s
	t.fields, t.values = maps.Clone(s.fields), maps.Clone(s.values)
	t.fields[field], t.values[field] = from.fields[field], from.values[field]
	return &t
}
