package httpapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/store"
)

// operation describes a route. Tests hold it against the route's handler: they
// send the example and compare the answer with the schema.
type operation struct {
	// id is the name of the call in generated clients.
	id, summary string
	// names is an example of what the path names, where that is not the usual.
	names string
	// reads says that the call changes nothing, though its method is one of those
	// that do.
	reads bool
	// query are the parameters in the URL beside those in the path.
	query []parameter
	// ifMatch and ifNoneMatch say that the call obeys these headers, and
	// repeatable that it takes an Idempotency-Key.
	ifMatch, ifNoneMatch, repeatable bool
	// body is the schema of the request, nil for none; bodyOptional if it may
	// be left out. The example has every field.
	body         *jsonschema.Schema
	bodyOptional bool
	example      string
	// answers are the schemas by status, nil for no content.
	answers answers
	// fails are the statuses of failures beside those that [route.failures] finds
	// in the rest.
	fails []int
	// stream says that server-sent events are the answer, and events are their
	// schemas by name, for a stream that resumes by Last-Event-ID.
	stream bool
	events map[string]*jsonschema.Schema
}

// answers are the schemas of what a call that succeeds answers with, by status.
type answers = map[int]*jsonschema.Schema

func gives(s *jsonschema.Schema) answers { return answers{http.StatusOK: s} }

func givesNothing() answers { return answers{http.StatusNoContent: nil} }

func creates(name string) answers { return answers{http.StatusCreated: refTo(name)} }

// createsOrFinds is for a call that meets what is there already when it is
// repeated.
func createsOrFinds(name string) answers {
	return answers{http.StatusCreated: refTo(name), http.StatusOK: refTo(name)}
}

type parameter struct {
	name, description string
	schema            *jsonschema.Schema
	example           any // of the schema's type, nil for none
	// repeated parameters may be given several times.
	repeated bool
}

// Parameters that several calls have.
var (
	limitParameter = parameter{
		name: "limit", description: "How many items to answer with at most.", example: 2,
		schema: &jsonschema.Schema{Type: "integer", Minimum: jsonschema.Ptr(1.), Maximum: jsonschema.Ptr(float64(store.MaxLimit))},
	}
	cursorParameter = parameter{name: "cursor", description: "Where to go on: the next of the page before.", schema: textSchema()}
	orderParameter  = parameter{
		name: "order", description: "created is oldest first, updated is newest first.", schema: enumOf("created", "updated"), example: "updated",
	}
	userParameter = parameter{
		name: "user", description: "The id of the user whom it is about. Defaults to the caller. The rules decide what others may see and do.", schema: textSchema(),
	}
)

func pagingOf() []parameter { return []parameter{limitParameter, cursorParameter} }

// pathParameters describe the parts of paths that vary, and give an example.
var pathParameters = map[string][2]string{
	"chat":  {"Id of a chat of the caller.", "c1"},
	"task":  {"Id of a task in the chat.", "t1"},
	"agent": {"Id of a sub-agent in the chat.", "a1"},
	"call":  {"Id of a tool call of the agent.", "k1"},
	"path":  {"Path of a document. Its slashes are not escaped.", "users/local/notes/n1"},
	"id":    {"Id, as the list has it.", "x1"},
	"name":  {"Name of a tool.", "calculator"},

	"account": {"Id of an account.", "acc1"},
	"project": {"Id of a project.", "acc1.p1"},
	"user":    {"Id of a user.", "ada"},
	"flat":    {"Name of a flat collection, such as chats.", "chats"},
}

// openAPI is the description of the API that some areas make up, in JSON.
func openAPI(all []area) []byte {
	paths := map[string]map[string]any{}
	for _, r := range routesOf(all) {
		method, path, _ := strings.Cut(r.pattern, " ")
		path = strings.ReplaceAll(path, "...}", "}")
		if paths[path] == nil {
			paths[path] = map[string]any{}
		}
		paths[path][strings.ToLower(method)] = r.describe(path)
	}
	text, err := json.Marshal(map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{
			"title": "Nestor", "version": "v1",
			"description": "A durable runtime for nested AI agents. " + errorsText(),
			"license":     map[string]any{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		"servers":  []any{map[string]any{"url": "/"}},
		"security": []any{map[string]any{"token": []any{}}},
		"paths":    paths,
		"components": map[string]any{
			"schemas":   components(all),
			"responses": failureResponses(),
			"securitySchemes": map[string]any{
				"token": map[string]any{"type": "http", "scheme": "bearer"},
			},
		},
	})
	if err != nil {
		panic(fmt.Sprintf("the description of the API: %v", err)) // a defect that every start would meet
	}
	return text
}

// errorsText explains the codes of failures.
func errorsText() string {
	var lines []string
	for code, status := range web.Statuses {
		if code == nestor.CodeConflict {
			lines = append(lines, fmt.Sprintf("%s (%d, and %d where no If-Match was sent)", code, status, http.StatusConflict))
			continue
		}
		lines = append(lines, fmt.Sprintf("%s (%d)", code, status))
	}
	slices.Sort(lines)
	return "A failure is answered with a code, which programs decide by, and a message for people. The codes and their statuses: " +
		strings.Join(lines, ", ") + "."
}

// describe is the route as OpenAPI has it.
func (r route) describe(path string) map[string]any {
	parameters := []any{}
	for _, m := range placeholders.FindAllStringSubmatch(path, -1) {
		known, ok := pathParameters[m[1]]
		if !ok {
			known = [2]string{"Id of the " + m[1] + ".", "x1"}
		}
		parameters = append(parameters, map[string]any{
			"name": m[1], "in": "path", "required": true, "description": known[0], "schema": textSchema(), "example": cmp.Or(r.names, known[1]),
		})
	}
	for _, p := range r.query {
		described := map[string]any{"name": p.name, "in": "query", "description": p.description, "schema": p.schema}
		if p.example != nil {
			described["example"] = p.example
		}
		if p.repeated {
			described["schema"] = &jsonschema.Schema{Type: "array", Items: p.schema}
			described["example"] = []any{p.example}
		}
		parameters = append(parameters, described)
	}
	header := func(is bool, name, description string) {
		if is {
			parameters = append(parameters, map[string]any{"name": name, "in": "header", "description": description, "schema": textSchema()})
		}
	}
	header(r.ifMatch, "If-Match", "The version that the caller saw, such as \"3\". If the document has moved on, the call fails with the code conflict.")
	header(r.ifNoneMatch, "If-None-Match", "The version that the caller has. If it is the latest, the answer is 304 without a body.")
	header(r.repeatable, "Idempotency-Key", "A call that is repeated with the same key finds what the first one created.")
	header(r.events != nil, "Last-Event-ID", "The id of the last event seen: the stream goes on after it.")

	described := map[string]any{"operationId": r.id, "summary": r.summary, "responses": r.responses()}
	if len(parameters) > 0 {
		described["parameters"] = parameters
	}
	if r.body != nil {
		described["requestBody"] = map[string]any{"required": !r.bodyOptional, "content": map[string]any{
			"application/json": map[string]any{"schema": r.body, "example": json.RawMessage(r.example)},
		}}
	}
	if r.needs == nothing {
		described["security"] = []any{}
	}
	return described
}

func (r route) responses() map[string]any {
	all := map[string]any{}
	for _, status := range r.failures() {
		all[statusKey(status)] = map[string]any{"$ref": "#/components/responses/" + failureName(status)}
	}
	for status, schema := range r.answers {
		answer := map[string]any{"description": http.StatusText(status)}
		if schema != nil {
			answer["content"] = map[string]any{"application/json": map[string]any{"schema": schema}}
		}
		all[strconv.Itoa(status)] = answer
	}
	if r.ifNoneMatch {
		all["304"] = map[string]any{"description": http.StatusText(http.StatusNotModified)}
	}
	if r.stream || r.events != nil {
		content := map[string]any{"schema": textSchema()}
		if r.events != nil {
			content["x-events"] = r.events
		}
		all["200"] = map[string]any{
			"description": "Server-sent events. Where x-events has schemas, the data of each event is JSON of the schema for its name.",
			"content":     map[string]any{"text/event-stream": content},
		}
	}
	return all
}

func (s *server) getOpenAPI(*http.Request) (response, error) {
	return response{body: json.RawMessage(s.description())}, nil
}
