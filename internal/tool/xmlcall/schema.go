package xmlcall

import (
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// maxRefs bounds how many references in a row are followed, since they may go
// round in a circle.
const maxRefs = 8

// resolve follows references to the root's own definitions. A schema that
// cannot be found accepts everything.
func resolve(root, s *jsonschema.Schema) *jsonschema.Schema {
	for range maxRefs {
		switch {
		case s == nil:
			return &jsonschema.Schema{}
		case s.Ref == "":
			return s
		}
		if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
			s = root.Defs[name]
		} else if name, ok := strings.CutPrefix(s.Ref, "#/definitions/"); ok {
			s = root.Definitions[name]
		} else {
			s = nil
		}
	}
	return &jsonschema.Schema{}
}

// typesOf returns the JSON types that s allows, as far as it names them. None
// means any.
func typesOf(s *jsonschema.Schema) []string {
	switch {
	case s.Type != "":
		return []string{s.Type}
	case len(s.Types) > 0:
		return s.Types
	}
	var types []string
	for _, alternative := range slices.Concat(s.AnyOf, s.OneOf) {
		of := typesOf(alternative)
		if len(of) == 0 {
			return nil
		}
		types = append(types, of...)
	}
	return types
}

// allowsOthers reports whether an object of schema s may have properties that s
// does not name.
func allowsOthers(s *jsonschema.Schema) bool {
	return s.AdditionalProperties == nil || s.AdditionalProperties.Not == nil
}
