package httpapi

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// route is one call of the API, declared once: the server answers it, and the
// description of the API tells of it.
type route struct {
	// pattern is a method and a path, as [http.ServeMux] has them.
	pattern string
	needs   need
	do      handler
	operation
}

// area is a part of the API: its routes, and the schemas that they name. It is a
// plain value, which needs no server to be described.
type area struct {
	routes []route
	// types are what the handlers decode and encode, by the names of their
	// schemas.
	types map[string]reflect.Type
	// documents are the same for stored documents, which have the server's
	// fields when they are read.
	documents map[string]reflect.Type
	// schemas are those that no Go type tells.
	schemas map[string]*jsonschema.Schema
}

// areas are the API: the server, its description and the TypeScript client are
// made from this list.
func areas(kinds *store.Catalogue) []area {
	return []area{
		commonArea(), kindsArea(kinds), chatsArea(), documentsArea(), modelsArea(), workArea(), peopleArea(), accountsArea(), replicationArea(),
	}
}

// aboutUser adds the parameter that names the user whom a request is about.
func aboutUser(routes []route) []route {
	for i := range routes {
		routes[i].query = append(routes[i].query, userParameter)
	}
	return routes
}

// routesOf are the routes of all areas.
func routesOf(all []area) (routes []route) {
	for _, a := range all {
		routes = append(routes, a.routes...)
	}
	return routes
}

var placeholderName = regexp.MustCompile(`\{\w+`)

// check reports routes that are not whole, or that there are twice.
func check(routes []route) error {
	var patterns, ids []string
	for _, r := range routes {
		method, path, found := strings.Cut(r.pattern, " ")
		if !found || method == "" || !strings.HasPrefix(path, "/api/") || r.needs == 0 || r.do == nil || r.id == "" || r.summary == "" {
			return nestor.Errorf(nestor.CodeInternal, "the route %q lacks a method, a path, a need, a handler, an id or a summary", r.pattern)
		}
		shape := placeholderName.ReplaceAllString(r.pattern, "{") // another name for a part makes no other route
		if slices.Contains(patterns, shape) {
			return nestor.Errorf(nestor.CodeInternal, "the route %s is declared twice", r.pattern)
		}
		if slices.Contains(ids, r.id) {
			return nestor.Errorf(nestor.CodeInternal, "the route %s has the id of another, %s", r.pattern, r.id)
		}
		patterns, ids = append(patterns, shape), append(ids, r.id)
	}
	return nil
}
