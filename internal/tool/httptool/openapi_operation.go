package httptool

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
)

// operation is one entry of a document's paths, ready to become a tool.
type operation struct {
	id          string
	description string
	method      string
	path        string
	url         template
	params      []param
	body        body
	parameters  json.RawMessage
	// unsupported says why the operation cannot be called, if so.
	unsupported string
}

var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
}

// operations lists all operations by path and method.
func (d *document) operations(baseURL string) ([]operation, error) {
	paths := asMap(d.root["paths"])
	var out []operation
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		item, err := d.object(paths[path])
		if err != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "path %s: %w", path, err)
		}
		for _, method := range methods {
			raw, ok := item[strings.ToLower(method)].(map[string]any)
			if !ok {
				continue
			}
			op, err := d.operation(path, method, item, raw, baseURL)
			if errors.Is(err, errTooManyNodes) {
				op.unsupported, err = errTooManyNodes.Message, nil
			}
			if err == nil && (len(out) == maxOperations || d.nodes > maxAllNodes) {
				return nil, nestor.Errorf(nestor.CodeTooLarge,
					"the document has more than %d operations, or more than %d schemas in all", maxOperations, maxAllNodes)
			}
			if err != nil {
				return nil, nestor.Errorf(nestor.CodeInvalid, "%s %s: %w", method, path, err)
			}
			out = append(out, op)
		}
	}
	return out, nil
}

func (d *document) operation(path, method string, item, raw map[string]any, baseURL string) (operation, error) {
	op := operation{id: text(raw, "operationId"), method: method, path: path, description: describe(raw, method, path)}
	if op.id == "" {
		op.id = nameOf(method, path)
	}
	base := baseURL
	var err error
	if base == "" {
		if base, err = d.server(raw, item, d.root); err != nil {
			return op, err
		}
	}
	if op.url, err = parseTemplate(strings.TrimSuffix(base, "/") + path); err != nil {
		return op, err
	}
	schema := newSchemaWriter(d)
	defer func() { d.nodes += schema.nodes }()
	if err := op.addParameters(d, schema, item, raw); err != nil {
		return op, err
	}
	for _, p := range op.url.params {
		if _, ok := schema.properties[p.argument]; !ok {
			return op, nestor.Errorf(nestor.CodeInvalid, "no parameter is declared for {%s}", p.name)
		}
	}
	if err := op.addBody(d, schema, raw); err != nil {
		return op, err
	}
	op.parameters, err = schema.write()
	return op, err
}

// addParameters takes over the parameters of the path and the operation; those
// of the operation win.
func (op *operation) addParameters(d *document, schema *schemaWriter, levels ...map[string]any) error {
	merged := map[string]map[string]any{}
	var order []string
	for _, level := range levels {
		list, _ := level["parameters"].([]any)
		for _, entry := range list {
			p, err := d.object(entry)
			if err != nil {
				return err
			}
			key := text(p, "in") + " " + text(p, "name")
			if _, seen := merged[key]; !seen {
				order = append(order, key)
			}
			merged[key] = p
		}
	}
	for _, key := range order {
		if err := op.addParameter(schema, merged[key]); err != nil {
			return err
		}
	}
	return nil
}

func (op *operation) addParameter(schema *schemaWriter, raw map[string]any) error {
	name, place := text(raw, "name"), Place(text(raw, "in"))
	required, _ := raw["required"].(bool)
	switch {
	case place == "cookie" && required:
		op.unsupported = "it needs the cookie " + name
		return nil
	case place == "cookie", place == InHeader && slices.Contains(ownHeaders, strings.ToLower(name)):
		return nil
	case place != InPath && place != InQuery && place != InHeader:
		return nestor.Errorf(nestor.CodeInvalid, "parameter %q is in %q", name, place)
	}
	argument := schema.free(name, string(place))
	inner, encoded := raw["schema"], false
	for _, media := range asMap(raw["content"]) {
		inner, encoded = asMap(media)["schema"], true // there is exactly one
	}
	if err := schema.add(argument, inner, text(raw, "description"), required || place == InPath); err != nil {
		return err
	}
	if place == InPath {
		return op.bindPath(name, argument)
	}
	explode, given := raw["explode"].(bool)
	op.params = append(op.params, param{
		argument: argument, name: name, in: place,
		explode: explode || !given, deep: text(raw, "style") == "deepObject", json: encoded,
	})
	return nil
}

// ownHeaders are set by the request itself; OpenAPI ignores them as parameters.
var ownHeaders = []string{"accept", "content-type", "authorization"}

// bindPath connects {name} in the path with its argument.
func (op *operation) bindPath(name, argument string) error {
	found := false
	for i := range op.url.params {
		if op.url.params[i].name == name {
			op.url.params[i].argument = argument
			found = true
		}
	}
	if !found {
		return nestor.Errorf(nestor.CodeInvalid, "the path has no {%s}", name)
	}
	return nil
}

// addBody offers the request body as one argument.
func (op *operation) addBody(d *document, schema *schemaWriter, raw map[string]any) error {
	if raw["requestBody"] == nil {
		return nil
	}
	request, err := d.object(raw["requestBody"])
	if err != nil {
		return err
	}
	content := asMap(request["content"])
	for _, kind := range slices.Sorted(maps.Keys(content)) {
		base, _, _ := strings.Cut(kind, ";")
		if base == "application/json" || strings.HasSuffix(base, "+json") {
			op.body.kind = kind
			break
		}
		if base == formKind {
			op.body.kind = kind
		}
	}
	if op.body.kind == "" {
		op.unsupported = "its body is neither JSON nor a form: " + strings.Join(slices.Sorted(maps.Keys(content)), ", ")
		return nil
	}
	required, _ := request["required"].(bool)
	op.body.argument = schema.free("body", "request")
	return schema.add(op.body.argument, asMap(content[op.body.kind])["schema"], text(request, "description"), required)
}

func describe(raw map[string]any, method, path string) string {
	var parts []string
	for _, key := range []string{"summary", "description"} {
		if s := strings.TrimSpace(text(raw, key)); s != "" {
			parts = append(parts, s)
		}
	}
	if len(parts) == 0 {
		return method + " " + path
	}
	return strings.Join(parts, "\n\n")
}

// nameOf makes an id for an operation without one: GET /pets/{id} is
// get_pets_id.
func nameOf(method, path string) string {
	words := strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune("/{}.:", r) })
	return strings.ToLower(method) + "_" + strings.Join(words, "_")
}
