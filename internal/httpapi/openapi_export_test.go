package httpapi

import (
	"slices"

	"github.com/nestorhq/nestor/internal/store"
)

// Patterns are those of all routes.
func Patterns() (all []string) {
	for _, r := range routesOf(areas(store.DefaultCatalogue)) {
		all = append(all, r.pattern)
	}
	slices.Sort(all)
	return all
}

// IsOpen reports whether a route does not ask who calls.
func IsOpen(pattern string) bool {
	return slices.ContainsFunc(routesOf(areas(store.DefaultCatalogue)), func(r route) bool { return r.pattern == pattern && r.needs == nothing })
}

// OpenAPI is the description of the API.
func OpenAPI() []byte { return Description(store.DefaultCatalogue, nil) }
