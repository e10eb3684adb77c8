package trigger

import (
	"maps"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// scope is what a condition sees as event.
type scope struct {
	event    *store.Event
	document *snapshot // event.document
	before   *snapshot // event.before
}

func newScope(e *store.Event) *scope {
	before := &snapshot{doc: e.Before, body: e.BeforeBody}
	document := before
	if e.Type != nestor.Delete {
		document = &snapshot{doc: e.After, body: e.AfterBody}
	}
	return &scope{event: e, document: document, before: before}
}

// past is the same event with the document as it was before.
func (s *scope) past() *scope {
	return &scope{event: s.event, document: s.before, before: s.before}
}

// ResolveName implements [cel.Activation].
func (s *scope) ResolveName(name string) (any, bool) { return s, name == "event" }

// Parent implements [cel.Activation].
func (s *scope) Parent() cel.Activation { return nil }

// snapshot is a document at one moment; doc is nil where there was none.
type snapshot struct {
	doc  *nestor.Document
	body func() map[string]any
	flat map[string]any
}

// isOwn reports whether name is the server's in event.document, where a field
// of the body with that name is hidden. It is still found under data.
func isOwn(name string) bool {
	switch name {
	case "path", "id", "version", "seq", "createdSeq", "createdAt", "updatedAt", "data":
		return true
	}
	return false
}

// value is the document as conditions see it, put together on first use.
func (s *snapshot) value() any {
	if s.doc == nil {
		return nil
	}
	if s.flat == nil {
		body := s.body()
		flat := make(map[string]any, len(body)+8)
		maps.Copy(flat, body)
		flat["path"] = string(s.doc.Path)
		flat["id"] = s.doc.Path.ID()
		flat["version"] = s.doc.Version
		flat["seq"] = s.doc.Seq
		flat["createdSeq"] = s.doc.CreatedSeq
		flat["createdAt"] = s.doc.CreatedAt
		flat["updatedAt"] = s.doc.UpdatedAt
		flat["data"] = body
		s.flat = flat
	}
	return s.flat
}

// text is a field's value if it is text.
func (s *snapshot) text(f field) (string, bool) {
	if f.own {
		if f.name == "id" {
			return s.doc.Path.ID(), true
		}
		return string(s.doc.Path), true
	}
	value, ok := s.body()[f.name].(string)
	return value, ok
}

// eventType is the type of the variable event. That it is a type of its own,
// and not a map, makes a misspelt field an error when the trigger is loaded.
var eventType = cel.ObjectType("nestor.Event")

var eventFields = map[string]*types.FieldType{
	"type":      eventField(cel.StringType, func(s *scope) any { return string(s.event.Type) }),
	"path":      eventField(cel.StringType, func(s *scope) any { return string(s.event.Path) }),
	"timestamp": eventField(cel.TimestampType, func(s *scope) any { return time.UnixMilli(s.event.At).UTC() }),
	"document":  eventField(cel.MapType(cel.StringType, cel.DynType), func(s *scope) any { return s.document.value() }),
	"before":    eventField(cel.DynType, func(s *scope) any { return s.before.value() }),
}

func eventField(t *cel.Type, get func(*scope) any) *types.FieldType {
	return &types.FieldType{
		Type:    t,
		IsSet:   func(event any) bool { return get(event.(*scope)) != nil },
		GetFrom: func(event any) (any, error) { return get(event.(*scope)), nil },
	}
}

// eventProvider adds eventType to the types that CEL knows.
type eventProvider struct{ *types.Registry }

// FindStructType implements [types.Provider].
func (p eventProvider) FindStructType(name string) (*types.Type, bool) {
	if name == eventType.TypeName() {
		return types.NewTypeTypeWithParam(eventType), true
	}
	return p.Registry.FindStructType(name)
}

// FindStructFieldType implements [types.Provider].
func (p eventProvider) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	if name == eventType.TypeName() {
		f, ok := eventFields[field]
		return f, ok
	}
	return p.Registry.FindStructFieldType(name, field)
}
