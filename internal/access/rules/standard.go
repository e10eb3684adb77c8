package rules

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"maps"
	"slices"

	"github.com/nestorhq/nestor"
)

//go:embed default.json
var builtIn []byte

// file is a rules file; its name is for errors.
type file struct {
	name string
	text []byte
}

// standard are the files of a server whose user has no rules of their own: what
// belongs to no module first, then the modules by name. The order decides nothing,
// as one rule that allows is enough.
func standard(modules map[string][]byte) []file {
	files := []file{{"default.json", builtIn}}
	for _, name := range slices.Sorted(maps.Keys(modules)) {
		files = append(files, file{name, modules[name]})
	}
	return files
}

// Standard is one file with the built-in rules and those of modules, which a user
// can begin their own with.
func Standard(modules map[string][]byte) ([]byte, error) {
	var all struct {
		Rules []json.RawMessage `json:"rules"`
	}
	for _, f := range standard(modules) {
		var more struct{ Rules []json.RawMessage }
		if err := json.Unmarshal(f.text, &more); err != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "%s%s: %v", f.name, place(err, f.text), err)
		}
		all.Rules = append(all.Rules, more.Rules...)
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false) // conditions have &&
	enc.SetIndent("", "  ")
	if err := enc.Encode(all); err != nil {
		return nil, err
	}
	_, err := parse("the rules of all modules", text.Bytes()) // two modules may have rules of the same id
	return text.Bytes(), err
}
