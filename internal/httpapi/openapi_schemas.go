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
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/trigger"
)

// documentNames are the kinds of documents in the API.
var documentNames = map[string]string{
	"chats": "Chat", "messages": "Message", "tasks": "Task", "sub_agents": "SubAgent",
	"sub_agent_messages": "SubAgentMessage", "sub_agent_tool_calls": "ToolCall",
}

// bodyTypes are the other things that requests and answers consist of: the very
// types that the handlers decode and encode.
var bodyTypes = map[string]reflect.Type{
	"NewChat":          reflect.TypeFor[newChat](),
	"ChatPatch":        reflect.TypeFor[chatPatch](),
	"NewMessage":       reflect.TypeFor[newMessage](),
	"NewTask":          reflect.TypeFor[newTask](),
	"Steering":         reflect.TypeFor[steering](),
	"NewDecision":      reflect.TypeFor[newDecision](),
	"Query":            reflect.TypeFor[store.Query](),
	"BatchOperation":   reflect.TypeFor[batchOperation](),
	"Written":          reflect.TypeFor[written](),
	"Words":            reflect.TypeFor[feed.Words](),
	"Order":            reflect.TypeFor[store.Order](),
	"Trigger":          reflect.TypeFor[trigger.Info](),
	"TriggerSwitch":    reflect.TypeFor[triggerSwitch](),
	"Job":              reflect.TypeFor[job](),
	"Change":           reflect.TypeFor[nestor.Change](),
	"ModelConnection":  reflect.TypeFor[connection.Connection](),
	"ModelTest":        reflect.TypeFor[tested](),
	"OfferedModel":     reflect.TypeFor[connection.OfferedModel](),
	"Tool":             reflect.TypeFor[toolInfo](),
	"NewToolRun":       reflect.TypeFor[newCall](),
	"ToolRun":          reflect.TypeFor[called](),
	"RetryPolicy":      reflect.TypeFor[nestor.RetryPolicy](),
	"Budget":           reflect.TypeFor[nestor.Budget](),
	"ErrorDescription": reflect.TypeFor[errorText](),
	"Error":            reflect.TypeFor[errorBody](),
	"ChangeEvent":      reflect.TypeFor[changeEvent](),
	"DeltaEvent":       reflect.TypeFor[deltaEvent](),
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
		reflect.TypeFor[me]():                    refTo("Me"),
		reflect.TypeFor[tool.Effect]():           enumOf(tool.Pure, tool.Idempotent, tool.Once),
		reflect.TypeFor[feed.Kind]():             enumOf(feed.KindText, feed.KindReasoning, feed.KindTool, feed.KindRestart, feed.KindDone, feed.KindDrop),
	}
	return special
}

// components are all schemas that have a name.
func components() map[string]*jsonschema.Schema {
	all := map[string]*jsonschema.Schema{
		"Document":  anyDocument(),
		"Filter":    filterSchema(),
		"ErrorCode": errorCodes(),
		"Snapshot": objectOf(map[string]*jsonschema.Schema{
			"chat": refTo("Chat"), "messages": arrayOf("Message"), "tasks": arrayOf("Task"), "subAgents": arrayOf("SubAgent"),
		}),
		"Batch":       objectOf(map[string]*jsonschema.Schema{"operations": arrayOf("BatchOperation")}),
		"BatchAnswer": objectOf(map[string]*jsonschema.Schema{"written": arrayOf("Written")}),
		"Resync":      objectOf(map[string]*jsonschema.Schema{"reason": textSchema()}),
	}
	for _, c := range store.DefaultCatalogue.All() {
		all[documentNames[c.Name]] = stored(c)
	}
	for name, body := range bodyTypes {
		all[name] = derive(name, body)
	}
	for name, body := range personTypes {
		all[name] = derive(name, body)
	}
	for name, body := range personDocuments {
		all[name] = derive(name, body)
		all[name].Required = append(serversFields(), all[name].Required...)
	}
	maps.Copy(all, replicationSchemas())
	all["ModelConnectionInput"] = modelConnectionInput()
	return all
}

// derive makes the schema of a Go type. Named types within it are references.
func derive(name string, body reflect.Type) *jsonschema.Schema {
	known := specialTypes()
	for other, t := range bodyTypes {
		if !embeds(body, t) {
			known[t] = refTo(other)
		}
	}
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

// modelConnectionInput is what a client has to say about a connection; the name
// defaults to its id.
func modelConnectionInput() *jsonschema.Schema {
	s := derive("ModelConnectionInput", reflect.TypeFor[modelConnection]())
	s.Required = []string{"accessFormat", "modelId"}
	for _, field := range append(serversFields(), "hasSecret", "headerNames", "readOnly") {
		delete(s.Properties, field)
		s.PropertyOrder = slices.DeleteFunc(s.PropertyOrder, func(name string) bool { return name == field })
	}
	return s
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

func filterSchema() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object", Description: "One comparison, or a combination of filters. A comparison is strict about types.",
		Properties: map[string]*jsonschema.Schema{
			"field": textSchema(),
			"op":    enumOf(store.Eq, store.Ne, store.Lt, store.Le, store.Gt, store.Ge, store.In),
			"value": {},
			"and":   arrayOf("Filter"),
			"or":    arrayOf("Filter"),
		},
		AdditionalProperties: nothingSchema(),
	}
}

func errorCodes() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for code := range statuses {
		s.Enum = append(s.Enum, string(code))
	}
	slices.SortFunc(s.Enum, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
	return s
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
