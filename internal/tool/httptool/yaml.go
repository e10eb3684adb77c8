package httptool

import (
	"encoding/json"

	"go.yaml.in/yaml/v3"

	"github.com/nestorhq/nestor"
)

// Bounds of what aliases may make of a document.
const (
	maxYAMLNodes = 1_000_000
	maxYAMLDepth = 1_000
)

// fromYAML is a document in JSON. Keys are texts, as are times, and values that JSON has
// no form for.
func fromYAML(data []byte) ([]byte, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "%w", err)
	}
	if document.Kind == 0 {
		return nil, nestor.Errorf(nestor.CodeInvalid, "it is empty")
	}
	var r yamlReader
	value, err := r.value(document.Content[0], 0)
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

type yamlReader struct{ nodes int }

func (r *yamlReader) value(n *yaml.Node, depth int) (any, error) {
	if r.nodes++; r.nodes > maxYAMLNodes || depth > maxYAMLDepth {
		return nil, nestor.Errorf(nestor.CodeTooLarge, "it has more than %d values, or is nested more than %d levels", maxYAMLNodes, maxYAMLDepth)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return r.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			var err error
			if list[i], err = r.value(item, depth+1); err != nil {
				return nil, err
			}
		}
		return list, nil
	case yaml.MappingNode:
		object := map[string]any{}
		return object, r.fields(object, n, depth)
	}
	return scalar(n), nil
}

// fields puts the fields of a mapping into object. Those that are merged in (<<) replace none.
func (r *yamlReader) fields(object map[string]any, n *yaml.Node, depth int) error {
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, field := n.Content[i], n.Content[i+1]
		if key.ShortTag() == "!!merge" {
			merged = append(merged, field)
			continue
		}
		value, err := r.value(field, depth+1)
		if err != nil {
			return err
		}
		if _, twice := object[key.Value]; twice {
			return nestor.Errorf(nestor.CodeInvalid, "%q is there twice (line %d)", key.Value, key.Line)
		}
		object[key.Value] = value
	}
	for _, field := range merged {
		value, err := r.value(field, depth+1)
		if err != nil {
			return err
		}
		sources, several := value.([]any)
		if !several {
			sources = []any{value}
		}
		for _, source := range sources {
			for name, value := range asMap(source) {
				if _, there := object[name]; !there {
					object[name] = value
				}
			}
		}
	}
	return nil
}

func scalar(n *yaml.Node) any {
	var value any
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool", "!!int", "!!float":
		if n.Decode(&value) == nil {
			if _, err := json.Marshal(value); err == nil {
				return value
			}
		}
	}
	return n.Value
}
