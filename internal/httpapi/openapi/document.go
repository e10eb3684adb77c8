package openapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/store"
)

// Document describes an API in JSON: its routes, the parts of their paths that
// vary, by name, and the schemas that they refer to. Its paths are below the address at.
func Document(at string, routes []Route, parts map[string]PathParameter, schemas Schemas) []byte {
	paths := map[string]map[string]any{}
	var bodies []*jsonschema.Schema
	var tags []map[string]any
	for _, r := range routes {
		if tag := r.Tag.describe(); !slices.ContainsFunc(tags, func(t map[string]any) bool { return t["name"] == r.Tag.Name }) {
			tags = append(tags, tag)
		}
		if r.Body != nil {
			bodies = append(bodies, r.Body)
		}
		method, path, _ := strings.Cut(r.Pattern, " ")
		path = strings.ReplaceAll(path, "...}", "}")
		if paths[path] == nil {
			paths[path] = map[string]any{}
		}
		paths[path][strings.ToLower(method)] = r.describe(path, parts, schemas.Kinds)
	}
	text, err := json.Marshal(map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{
			"title": "Nestor", "version": "v1",
			"description": "A durable runtime for nested AI agents. " + errorsText(),
			"license":     map[string]any{"name": "Apache-2.0", "identifier": "Apache-2.0"},
			"contact":     map[string]any{"name": "Nestor", "url": "https://github.com/nestorhq/nestor"},
		},
		"servers":  []any{map[string]any{"url": at}},
		"tags":     tags,
		"security": []any{map[string]any{"token": []any{}}},
		"paths":    paths,
		"components": map[string]any{
			"schemas":   schemas.all(bodies),
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
func (r Route) describe(path string, parts map[string]PathParameter, kinds []*store.Collection) map[string]any {
	parameters := []any{}
	for _, name := range Placeholders(path) {
		known, ok := parts[name]
		if !ok {
			known = PathParameter{"Id of the " + name + ".", "x1"}
		}
		parameters = append(parameters, map[string]any{
			"name": name, "in": "path", "required": true, "description": known.Description, "schema": Text(), "example": cmp.Or(r.Names, known.Example),
		})
	}
	for _, p := range r.Query {
		described := map[string]any{"name": p.Name, "in": "query", "description": p.Description, "schema": p.Schema}
		if p.Example != nil {
			described["example"] = p.Example
		}
		if p.Required {
			described["required"] = true
		}
		if p.Repeated {
			described["schema"] = &jsonschema.Schema{Type: "array", Items: p.Schema}
			described["example"] = []any{p.Example}
		}
		parameters = append(parameters, described)
	}
	header := func(is bool, name, description string) {
		if is {
			parameters = append(parameters, map[string]any{"name": name, "in": "header", "description": description, "schema": Text()})
		}
	}
	header(r.IfMatch, "If-Match", "The version that the caller saw, such as \"3\". If the document has moved on, the call fails with the code conflict.")
	header(r.IfNoneMatch, "If-None-Match", "The version that the caller has. If it is the latest, the answer is 304 without a body.")
	header(r.File, "Range", "Which bytes of the file are wanted, such as bytes=0-1023. Defaults to all.")
	header(r.Repeatable, "Idempotency-Key", "A call that is repeated with the same key finds what the first one created.")
	header(r.Events != nil, "Last-Event-ID", "The id of the last event seen: the stream goes on after it.")

	described := map[string]any{"operationId": r.ID, "summary": r.Summary, "tags": []string{r.Tag.Name}, "responses": r.responses(kinds)}
	if r.Description != "" {
		described["description"] = r.Description
	}
	if len(parameters) > 0 {
		described["parameters"] = parameters
	}
	if content := r.content(); len(content) > 0 {
		described["requestBody"] = map[string]any{"required": !r.BodyOptional, "content": content}
	}
	if r.Open {
		described["security"] = []any{}
	}
	return described
}

// content is what a request may be.
func (r Route) content() map[string]any {
	content := map[string]any{}
	if r.Body != nil {
		content["application/json"] = map[string]any{"schema": r.Body, "example": json.RawMessage(r.Example)}
	}
	if r.Upload > 0 {
		file := &jsonschema.Schema{Type: "string", Format: "binary", Description: fmt.Sprintf("A file. The request has at most %d bytes.", r.Upload)}
		content["application/octet-stream"] = map[string]any{"schema": file}
		content["multipart/form-data"] = map[string]any{"schema": &jsonschema.Schema{
			Type: "object", Properties: map[string]*jsonschema.Schema{"file": file}, Required: []string{"file"},
		}}
	}
	return content
}

func (r Route) responses(kinds []*store.Collection) map[string]any {
	all := map[string]any{}
	for _, status := range r.failures() {
		all[statusKey(status)] = r.failure(status)
	}
	for status, schema := range r.Answers {
		answer := map[string]any{"description": http.StatusText(status)}
		if schema != nil {
			answer["content"] = map[string]any{"application/json": map[string]any{"schema": schema}}
		}
		all[strconv.Itoa(status)] = answer
	}
	if r.IfNoneMatch {
		all["304"] = map[string]any{"description": http.StatusText(http.StatusNotModified)}
	}
	if r.File {
		content := map[string]any{"application/octet-stream": map[string]any{"schema": &jsonschema.Schema{Type: "string", Format: "binary"}}}
		all["200"] = map[string]any{"description": "The file, of its own type.", "content": content}
		all["206"] = map[string]any{"description": "The part of the file that the header Range asks for.", "content": content}
		all["304"] = map[string]any{"description": http.StatusText(http.StatusNotModified)}
	}
	if r.Stream || r.Events != nil {
		content := map[string]any{"schema": r.stream(kinds)}
		if r.Events != nil {
			content["x-events"] = r.Events
		}
		all["200"] = map[string]any{
			"description": "Server-sent events. Where x-events has schemas, the data of each event is JSON of the schema for its name.",
			"content":     map[string]any{"text/event-stream": content},
		}
	}
	return all
}

// stream is the schema of a text of events. What their data is has no place in OpenAPI but
// there, where readers find it, and checkers that look for schemas which nobody uses.
func (r Route) stream(kinds []*store.Collection) *jsonschema.Schema {
	text := Text()
	var data []*jsonschema.Schema
	for _, name := range slices.Sorted(maps.Keys(r.Events)) {
		data = with(data, r.Events[name])
	}
	if r.AllKinds {
		documents := []*jsonschema.Schema{Ref("Document"), {Type: "null"}}
		for _, kind := range kinds {
			documents = with(documents, Ref(kind.TypeName()))
		}
		data = append(data, &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"document": {AnyOf: documents}}})
	}
	if data != nil {
		text.ContentMediaType, text.ContentSchema = "text/event-stream", &jsonschema.Schema{AnyOf: data}
	}
	return text
}

// with adds a reference that is not there yet.
func with(all []*jsonschema.Schema, ref *jsonschema.Schema) []*jsonschema.Schema {
	if slices.ContainsFunc(all, func(one *jsonschema.Schema) bool { return one.Ref == ref.Ref }) {
		return all
	}
	return append(all, ref)
}

// describe is the tag as OpenAPI has it.
func (t Tag) describe() map[string]any {
	described := map[string]any{"name": t.Name}
	if t.Description != "" {
		described["description"] = t.Description
	}
	return described
}
