package nodes

import (
	"bytes"
	"encoding/json"
	"os"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/node"
	"github.com/nestorhq/nestor/internal/tool/secret"
)

// LoadServices reads a file of node types that are services.
func LoadServices(file string, env secret.Env, allowPrivate bool) ([]*node.Type, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the file of nodes cannot be read: %w", err)
	}
	var said struct {
		Comment string            `json:"$comment,omitempty"`
		Nodes   []json.RawMessage `json:"nodes"`
	}
	if err := strict(text, &said); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "%s: %w", file, err)
	}
	var all []*node.Type
	for i, entry := range said.Nodes {
		var s Service
		err := strict(entry, &s)
		var made *node.Type
		if err == nil {
			made, err = s.Type(env, allowPrivate)
		}
		if err != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "%s: the node type %d, %q: %w", file, i+1, s.ID, err)
		}
		all = append(all, made)
	}
	return all, nil
}

// strict decodes JSON and refuses what it does not know.
func strict(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	return dec.Decode(into)
}
