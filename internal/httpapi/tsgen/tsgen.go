// Package tsgen writes the TypeScript client in clients/typescript from the
// description of the API. It knows as much of OpenAPI as that description uses.
package tsgen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Generate returns TypeScript source for an OpenAPI 3.1 document: an interface
// for every schema and a method for every operation. Equal documents give equal
// source.
func Generate(openAPI []byte) ([]byte, error) {
	var doc document
	if err := json.Unmarshal(openAPI, &doc); err != nil {
		return nil, fmt.Errorf("the description of the API cannot be read: %w", err)
	}
	g := &generator{}
	g.line("// Generated from the description of the API at /api/v1/openapi.json. Do not edit.")
	g.line("")
	g.line(`import { type Call, type ServerEvent, Transport } from "./transport.js";`)
	for _, name := range slices.Sorted(maps.Keys(doc.Components.Schemas)) {
		g.declare(name, doc.Components.Schemas[name])
	}
	g.line("")
	g.line("/** Every call of the API. */")
	g.line("export abstract class Api extends Transport {")
	g.methods(doc.operations())
	g.line("}")
	return g.out.Bytes(), nil
}

type document struct {
	Paths      map[string]map[string]*operation
	Components struct{ Schemas map[string]*schema }
}

type operation struct {
	OperationID string
	Summary     string
	Description string
	Parameters  []parameter
	RequestBody *struct {
		Required bool
		Content  map[string]media
	}
	Responses map[string]struct{ Content map[string]media }

	method, path string
}

type parameter struct {
	Name, In string
	Required bool
	Schema   *schema
}

type media struct {
	Schema *schema
	Events map[string]*schema `json:"x-events"`
}

// operations are all operations, in the order of their paths.
func (d *document) operations() (all []*operation) {
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(d.Paths[path])) {
			o := d.Paths[path][method]
			o.method, o.path = strings.ToUpper(method), path
			all = append(all, o)
		}
	}
	return all
}

type generator struct{ out bytes.Buffer }

func (g *generator) line(format string, args ...any) {
	if len(args) == 0 {
		g.out.WriteString(format)
	} else {
		fmt.Fprintf(&g.out, format, args...)
	}
	g.out.WriteByte('\n')
}

// declare writes the type of a schema.
func (g *generator) declare(name string, s *schema) {
	g.line("")
	if s.Description != "" {
		g.line("/** %s */", s.Description)
	}
	if s.Properties == nil {
		g.line("export type %s = %s;", name, s.typescript(""))
		return
	}
	g.line("export interface %s %s", name, s.typescript(""))
}

func (g *generator) methods(all []*operation) {
	first := true
	for _, o := range all {
		if stream, ok := o.Responses["200"].Content["text/event-stream"]; ok && stream.Events == nil {
			continue // not for this client
		}
		if !first {
			g.line("")
		}
		first = false
		g.method(o)
	}
}

// transports are the headers that the transport, or the cache of fetch, sends.
var transports = map[string]bool{"Last-Event-ID": true, "If-None-Match": true}

// bytesType is how the description says that a body is a file.
const bytesType = "application/octet-stream"

var inPath = regexp.MustCompile(`\{(\w+)\}`)

// method writes the method of an operation. What the path names comes first,
// then the body, then everything that can be left out.
func (g *generator) method(o *operation) {
	var params []string
	path, options, otherwise := o.path, []string{}, " = {}"
	for _, p := range o.Parameters {
		switch p.In {
		case "path":
			params = append(params, p.Name+": string")
		case "query":
			optional := "?"
			if p.Required {
				optional, otherwise = "", ""
			}
			options = append(options, fmt.Sprintf("%s%s: %s", p.Name, optional, p.Schema.typescript("")))
		case "header":
			if !transports[p.Name] {
				options = append(options, camel(p.Name)+"?: string")
			}
		}
	}
	path = inPath.ReplaceAllStringFunc(path, func(m string) string {
		if name := m[1 : len(m)-1]; name != "path" {
			return "${encodeURIComponent(" + name + ")}"
		}
		return "${encodePath(path)}"
	})
	quote := `"`
	if strings.Contains(path, "${") {
		quote = "`"
	}
	path = quote + strings.ReplaceAll(path, "encodePath", "this.encodePath") + quote
	call := []string{}
	if o.RequestBody != nil && o.RequestBody.Content["application/json"].Schema != nil {
		optional := "?"
		if o.RequestBody.Required {
			optional = ""
		}
		params = append(params, "body"+optional+": "+o.RequestBody.Content["application/json"].Schema.typescript("  "))
		call = append(call, "body")
	} else if o.RequestBody != nil && o.RequestBody.Content[bytesType].Schema != nil {
		params, call = append(params, "file: Blob"), append(call, "file")
	}
	call = append(call, g.sent(o, "query", "query", func(name string) string { return name })...)
	call = append(call, g.sent(o, "header", "headers", camel)...)
	call = append(call, "signal: options.signal")

	g.line("  /** %s */", strings.TrimSpace(strings.TrimSuffix(o.Summary, ".")+". "+o.Description))
	if events := o.Responses["200"].Content["text/event-stream"].Events; events != nil {
		params = append(params, "options: "+optionsType(options)+otherwise)
		g.line("  %s(%s): AsyncGenerator<%s, void, void> {", o.OperationID, strings.Join(params, ", "), eventType(events))
		g.line("    return this.stream(%s, { %s });", path, strings.Join(call, ", "))
	} else if o.Responses["200"].Content[bytesType].Schema != nil {
		params = append(params, "options: "+optionsType(options)+otherwise)
		g.line("  %s(%s): Promise<Blob> {", o.OperationID, strings.Join(params, ", "))
		g.line(`    return this.read("%s", %s, { %s });`, o.method, path, strings.Join(call, ", "))
	} else {
		g.overloads(o, params, options)
		params = append(params, "options: "+optionsType(options)+otherwise)
		g.line("  %s(%s): Promise<%s> {", o.OperationID, strings.Join(params, ", "), o.answer())
		g.line(`    return this.send("%s", %s, { %s });`, o.method, path, strings.Join(call, ", "))
	}
	g.line("  }")
}

// overloads says what an operation answers with that can wait for what comes of it.
func (g *generator) overloads(o *operation, params, options []string) {
	wait := slices.IndexFunc(options, func(option string) bool { return strings.HasPrefix(option, "wait?:") })
	at, later := o.Responses["201"].Content["application/json"].Schema, o.Responses["202"].Content["application/json"].Schema
	if wait < 0 || at == nil || later == nil {
		return
	}
	for _, way := range []struct{ optional, wait, answer string }{
		{"?", `wait?: "0"`, at.typescript("  ")}, {"", `wait: "1"`, later.typescript("  ")},
	} {
		options[wait] = way.wait
		all := append(slices.Clone(params), "options"+way.optional+": "+optionsType(options))
		g.line("  %s(%s): Promise<%s>;", o.OperationID, strings.Join(all, ", "), way.answer)
	}
	options[wait] = `wait?: "0" | "1"`
}

// sent is the part of a call that its parameters of one kind make up.
func (g *generator) sent(o *operation, in, as string, name func(string) string) []string {
	var entries []string
	for _, p := range o.Parameters {
		if p.In == in && !transports[p.Name] {
			key := p.Name
			if in == "header" {
				key = `"` + key + `"`
			}
			entries = append(entries, key+": options."+name(p.Name))
		}
	}
	if entries == nil {
		return nil
	}
	return []string{as + ": { " + strings.Join(entries, ", ") + " }"}
}

func optionsType(options []string) string {
	if len(options) == 0 {
		return "Call"
	}
	return "Call & { " + strings.Join(options, "; ") + " }"
}

// answer is the type of what an operation that succeeds answers with.
func (o *operation) answer() string {
	var types []string
	for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
		if status[0] != '2' {
			continue
		}
		t := "void"
		if s := o.Responses[status].Content["application/json"].Schema; s != nil {
			t = s.typescript("  ")
		}
		if !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	var different []string
	for t := range strings.SplitSeq(strings.Join(types, " | "), " | ") {
		if !slices.Contains(different, t) {
			different = append(different, t)
		}
	}
	return strings.Join(different, " | ")
}

func eventType(events map[string]*schema) string {
	var types []string
	for _, name := range slices.Sorted(maps.Keys(events)) {
		types = append(types, fmt.Sprintf("ServerEvent<%q, %s>", name, events[name].typescript("  ")))
	}
	return strings.Join(types, " | ")
}

// camel makes a TypeScript name of a header's name.
func camel(header string) string {
	var name string
	for i, word := range strings.Split(strings.ToLower(header), "-") {
		if i > 0 {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		name += word
	}
	return name
}
