package httpapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
)

// commonArea is what several areas speak of.
func commonArea() area {
	return area{types: map[string]reflect.Type{
		"Budget":           reflect.TypeFor[nestor.Budget](),
		"Error":            reflect.TypeFor[web.Failure](),
		"ErrorDescription": reflect.TypeFor[web.ErrorText](),
		"RetryPolicy":      reflect.TypeFor[nestor.RetryPolicy](),
	}, schemas: map[string]*jsonschema.Schema{
		"Document":  anyDocument(),
		"ErrorCode": errorCodes(),
	}}
}

// chatPatch is what PATCH takes for a chat; null removes a field.
type chatPatch struct {
	Title             *string        `json:"title,omitempty"`
	ModelConnectionID *string        `json:"modelConnectionId,omitempty"`
	Budget            *nestor.Budget `json:"budget,omitempty"`
}

// changes is [account.Changes] as clients write it.
type changes struct {
	Name   *string        `json:"name,omitempty"`
	Budget *nestor.Budget `json:"budget,omitempty"`
}

// specialTypes are the types whose JSON is not what their Go type says.
func specialTypes() map[reflect.Type]*jsonschema.Schema {
	special := map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage]():       {},
		reflect.TypeFor[nestor.Document]():       refTo("Document"),
		reflect.TypeFor[nestor.Duration]():       {Type: "string", Description: "A duration such as 1.5s."},
		reflect.TypeFor[store.Filter]():          refTo("Filter"),
		reflect.TypeFor[nestor.Code]():           refTo("ErrorCode"),
		reflect.TypeFor[nestor.TaskType]():       enumOf(nestor.TaskAgent, nestor.TaskTool),
		reflect.TypeFor[nestor.ChangeType]():     enumOf(nestor.Create, nestor.Update, nestor.Delete),
		reflect.TypeFor[batchOp]():               enumOf(opCreate, opPut, opPatch, opDelete),
		reflect.TypeFor[nestor.JobState]():       enumOf(nestor.JobReady, nestor.JobRunning, nestor.JobBlocked, nestor.JobDead),
		reflect.TypeFor[nestor.ToolCallStatus](): enumOf(nestor.ToolCallSuccess, nestor.ToolCallFailed),
		reflect.TypeFor[nestor.DecisionAction](): enumOf(nestor.Approve, nestor.Deny, nestor.RetryCall, nestor.MarkDone, nestor.SkipCall),
		reflect.TypeFor[account.Role]():          enumOf(account.Owner, account.Member, account.Viewer),
		reflect.TypeFor[access.Kind]():           enumOf(access.InSession, access.WithKey, access.AsLocal, access.AsWebhook),
		reflect.TypeFor[tool.Effect]():           enumOf(tool.Pure, tool.Idempotent, tool.Once),
		reflect.TypeFor[feed.Kind]():             enumOf(feed.KindText, feed.KindReasoning, feed.KindTool, feed.KindRestart, feed.KindDone, feed.KindDrop),
	}
	return special
}

// components are all schemas that have a name.
func components(all []area) map[string]*jsonschema.Schema {
	types := map[string]reflect.Type{}
	for _, a := range all {
		maps.Copy(types, a.types)
	}
	schemas := map[string]*jsonschema.Schema{}
	for _, a := range all {
		for name, body := range a.types {
			schemas[name] = derive(name, body, knownIn(body, types))
		}
		for name, body := range a.documents {
			s := derive(name, body, knownIn(body, types))
			s.Required = append(serversFields(), s.Required...)
			schemas[name] = s
		}
		maps.Copy(schemas, a.schemas)
	}
	for _, s := range schemas {
		describeAny(s)
	}
	return schemas
}

// describeAny gives a text to the schemas that allow everything. Without one they
// are written as true, which generators of code do not expect there.
func describeAny(s *jsonschema.Schema) {
	within := slices.Concat(slices.Collect(maps.Values(s.Properties)), s.AnyOf)
	if s.Items != nil {
		within = append(within, s.Items)
	}
	for _, child := range within {
		if reflect.DeepEqual(child, &jsonschema.Schema{}) {
			child.Description = "Any JSON value."
		}
		describeAny(child)
	}
	if s.AdditionalProperties != nil { // of which true is usual
		describeAny(s.AdditionalProperties)
	}
}

// knownIn are the types that are references within another, by the schemas that
// stand for them.
func knownIn(body reflect.Type, types map[string]reflect.Type) map[reflect.Type]*jsonschema.Schema {
	known := specialTypes()
	for name, t := range types {
		if !embeds(body, t) {
			known[t] = refTo(name)
		}
	}
	return known
}

// derive makes the schema of a Go type. Known types within it are references.
func derive(name string, body reflect.Type, known map[reflect.Type]*jsonschema.Schema) *jsonschema.Schema {
	delete(known, body)
	s, err := jsonschema.ForType(body, &jsonschema.ForOptions{TypeSchemas: known})
	if err != nil {
		panic(fmt.Sprintf("schema of %s: %v", name, err)) // a defect that every start would meet
	}
	for name, property := range s.Properties {
		if property.Ref != "" && property.Types != nil { // a pointer to a named type
			s.Properties[name] = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Ref: property.Ref}, {Type: "null"}}}
		}
	}
	return s
}

// embeds reports whether the fields of one struct are among those of another.
func embeds(t, in reflect.Type) bool {
	return slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Anonymous && f.Type == in })
}

// stored is the schema of a kind of document as it is read: with the fields
// that are the server's.
// kindsArea is the documents that have a kind, under the names of their Go types.
func kindsArea(kinds *store.Catalogue) area {
	a := area{schemas: map[string]*jsonschema.Schema{}}
	for _, c := range kinds.All() {
		a.schemas[c.TypeName()] = stored(c)
	}
	return a
}

func stored(c *store.Collection) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	if err := json.Unmarshal(c.Schema(), s); err != nil {
		panic(fmt.Sprintf("schema of %s: %v", c.Name, err))
	}
	s.Title = ""
	s.Required = append(serversFields(), s.Required...)
	return s
}

// serversFields are those that every document has when it is read.
func serversFields() []string {
	return slices.DeleteFunc(slices.Clone(nestor.Reserved), func(field string) bool { return field == "deleted" })
}

func anyDocument() *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type: "object", Description: "A document of any kind: the server's fields and its own.",
		Required: serversFields(), Properties: map[string]*jsonschema.Schema{},
	}
	for _, field := range s.Required {
		s.Properties[field] = &jsonschema.Schema{Type: "integer"}
	}
	s.Properties["id"] = textSchema()
	s.AdditionalProperties = &jsonschema.Schema{}
	return s
}

func errorCodes() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for code := range web.Statuses {
		s.Enum = append(s.Enum, string(code))
	}
	slices.SortFunc(s.Enum, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
	return s
}

// objectsByName are objects under names that vary.
func objectsByName() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "object"}}
}

func refTo(name string) *jsonschema.Schema {
	return &jsonschema.Schema{Ref: "#/components/schemas/" + name}
}

func textSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "string"} }

// nothingSchema is the schema of what must not be.
func nothingSchema() *jsonschema.Schema { return &jsonschema.Schema{Not: &jsonschema.Schema{}} }

func enumOf[T ~string](values ...T) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	return s
}

func arrayOf(name string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: refTo(name)}
}

// objectOf has all of the properties and no others.
func objectOf(properties map[string]*jsonschema.Schema) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: properties, AdditionalProperties: nothingSchema()}
	for name := range properties {
		s.Required = append(s.Required, name)
	}
	slices.Sort(s.Required)
	return s
}

// listOf is a whole list.
func listOf(name string) *jsonschema.Schema {
	return objectOf(map[string]*jsonschema.Schema{"items": arrayOf(name)})
}

// pageOf is a part of a list.
func pageOf(name string) *jsonschema.Schema {
	s := listOf(name)
	s.Properties["next"] = &jsonschema.Schema{Type: "string", Description: "The cursor of the next page; absent at the end."}
	return s
}
