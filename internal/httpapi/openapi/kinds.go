package openapi

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// stored is the schema of a kind of document as it is read: with the fields that
// are the server's.
func stored(c *store.Collection) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	if err := json.Unmarshal(c.Schema(), s); err != nil {
		panic(fmt.Sprintf("schema of %s: %v", c.Name, err))
	}
	s.Title = ""
	s.Required = append(ServersFields(), s.Required...)
	return s
}

// ServersFields are those that every document has when it is read.
func ServersFields() []string {
	return slices.DeleteFunc(slices.Clone(nestor.Reserved), func(field string) bool { return field == "deleted" })
}

// AnyDocument is the schema of a document of any kind.
func AnyDocument() *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type: "object", Description: "A document of any kind: the server's fields and its own.",
		Required: ServersFields(), Properties: map[string]*jsonschema.Schema{},
	}
	for _, field := range s.Required {
		s.Properties[field] = &jsonschema.Schema{Type: "integer"}
	}
	s.Properties["id"] = Text()
	s.AdditionalProperties = &jsonschema.Schema{}
	return s
}
