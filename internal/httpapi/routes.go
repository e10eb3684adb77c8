package httpapi

import (
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/store"
)

// route is one call of the API, declared once: the server answers it, and the
// description of the API tells of it.
type route struct {
	// pattern is a method and a path, as [http.ServeMux] has them.
	pattern string
	needs   Need
	do      handler
	openapi.Operation
}

// area is a part of the API: its routes, and the schemas that they name. It is a
// plain value, which needs no server to be described.
type area struct {
	// tag is that of all its routes, unless they have one of their own.
	tag    openapi.Tag
	routes []route
	openapi.Schemas
}

// areas are the API: the server, its description and the TypeScript client are
// made from this list.
func areas(kinds *store.Catalogue) []area {
	return []area{
		commonArea(), {Schemas: openapi.Schemas{Kinds: kinds.All()}}, chatsArea(), documentsArea(), toolsArea(), peopleArea(), replicationArea(kinds),
	}
}

// aboutUser adds the parameter that names the user whom a request is about.
func aboutUser(routes []route) []route {
	for i := range routes {
		routes[i].Query = append(routes[i].Query, UserParameter)
	}
	return routes
}

// routesOf are the routes of all areas. Every list has pages.
func routesOf(all []area) (routes []route) {
	for _, a := range all {
		for _, r := range a.routes {
			r.Tag = cmp.Or(r.Tag, a.tag)
			routes = append(routes, r.paged())
		}
	}
	return routes
}

var placeholderName = regexp.MustCompile(`\{\w+`)

// check reports routes that lack something or are declared twice.
func check(routes []route) error {
	var patterns, ids []string
	for _, r := range routes {
		method, path, found := strings.Cut(r.pattern, " ")
		if !found || method == "" || !strings.HasPrefix(path, "/api/") || r.needs == 0 || r.do == nil || r.ID == "" || r.Summary == "" {
			return nestor.Errorf(nestor.CodeInternal, "the route %q lacks a method, a path, a need, a handler, an id or a summary", r.pattern)
		}
		shape := placeholderName.ReplaceAllString(r.pattern, "{") // the names of placeholders do not tell routes apart
		if slices.Contains(patterns, shape) {
			return nestor.Errorf(nestor.CodeInternal, "the route %s is declared twice", r.pattern)
		}
		if slices.Contains(ids, r.ID) {
			return nestor.Errorf(nestor.CodeInternal, "the route %s has the id of another, %s", r.pattern, r.ID)
		}
		patterns, ids = append(patterns, shape), append(ids, r.ID)
	}
	return nil
}

// checkPrefix refuses a public address whose path begins as one of the server's own: then
// nobody could tell whether a proxy has removed it.
func checkPrefix(opts Options, routes []route) error {
	prefix, _, _ := strings.Cut(strings.TrimPrefix(opts.Public.Prefix, "/"), "/")
	if prefix == "" {
		return nil
	}
	taken := []string{"healthz", "readyz", "metrics"}
	for _, r := range routes {
		taken = append(taken, firstSegment(r.pattern))
	}
	for _, d := range opts.Doors {
		taken = append(taken, firstSegment(d.Pattern))
	}
	if slices.Contains(taken, prefix) || opts.UI != nil && opts.UI.Owns("/"+prefix) {
		return nestor.Errorf(nestor.CodeInvalid, "the public URL cannot have the path %s, since paths of the server itself begin with /%s: choose another", opts.Public.Prefix, prefix)
	}
	return nil
}

// firstSegment is that of the path of a pattern.
func firstSegment(pattern string) string {
	first, _, _ := strings.Cut(pattern[strings.Index(pattern, "/")+1:], "/")
	return first
}

// describe writes the description of some areas in OpenAPI, for a server at an address.
func describe(all []area, at access.PublicURL) []byte {
	var routes []openapi.Route
	for _, r := range routesOf(all) {
		routes = append(routes, openapi.Route{Pattern: r.pattern, Open: r.needs == nothing, Judged: r.needs == documents, Operation: r.Operation})
	}
	return openapi.Document(cmp.Or(at.String(), "/"), routes, pathParameters, schemasOf(all))
}

// schemasOf are the schemas of all areas.
func schemasOf(all []area) openapi.Schemas {
	schemas := make([]openapi.Schemas, len(all))
	for i, a := range all {
		schemas[i] = a.Schemas
	}
	return openapi.Join(schemas...)
}

func (s *server) getOpenAPI(*http.Request) (response, error) {
	return response{body: json.RawMessage(s.description())}, nil
}
