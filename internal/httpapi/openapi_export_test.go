package httpapi

import (
	"slices"

	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/store"
)

// Patterns are those of all routes, with those of modules.
func Patterns(modules []Route) (all []string) {
	for _, r := range withModules(modules) {
		all = append(all, r.pattern)
	}
	slices.Sort(all)
	return all
}

func withModules(modules []Route) []route {
	return routesOf(append(areas(store.DefaultCatalogue), extension(modules, openapi.Schemas{})))
}

// IsOpen reports whether a route does not ask who calls.
func IsOpen(modules []Route, pattern string) bool {
	return slices.ContainsFunc(withModules(modules), func(r route) bool { return r.pattern == pattern && r.needs == nothing })
}
