// Package openapi describes routes in OpenAPI 3.1: what they take, what they answer
// and how they fail. Schemas of Go types are derived from them.
package openapi
