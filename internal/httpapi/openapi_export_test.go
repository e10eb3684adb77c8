package httpapi

import (
	"maps"
	"slices"
)

// Patterns are those of all routes.
func Patterns() []string { return slices.Sorted(maps.Keys((&server{}).routes())) }

// Needs is what a route says that it needs, "" for nothing that there is.
func Needs(pattern string) string {
	return map[need]string{
		nothing: "nothing", somebody: "somebody", documents: "documents", whole: "whole", administrator: "administrator",
	}[(&server{}).routes()[pattern].needs]
}

// OpenAPI is the description of the API.
func OpenAPI() []byte { return openAPI() }
