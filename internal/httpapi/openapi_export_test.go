package httpapi

import (
	"maps"
	"slices"
)

// Patterns are those of all routes.
func Patterns() []string { return slices.Sorted(maps.Keys((&server{}).routes())) }

// OpenAPI is the description of the API.
func OpenAPI() []byte { return openAPI() }
