package httptool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
)

// param maps one argument to a part of a request.
type param struct {
	argument string // its name for the model
	name     string // its name on the wire
	in       Place
	explode  bool // lists in a query repeat the name instead of joining by comma
	deep     bool // objects in a query are written name[key]=value
	json     bool // the value is written as JSON
}

// arguments are checked against the schema; values stay the text they were.
type arguments map[string]json.RawMessage

func parseArguments(text string) (arguments, error) {
	var args arguments
	if err := json.Unmarshal([]byte(text), &args); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the arguments are not a JSON object: %w", err)
	}
	return args, nil
}

// value decodes one argument. Numbers keep their digits.
func (a arguments) value(p param) (any, error) {
	raw, ok := a[p.argument]
	if !ok {
		return nil, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the parameter %s is not valid JSON: %w", p.argument, err)
	}
	return v, nil
}

// text writes an argument as one piece: lists are joined by commas.
func (a arguments) text(p param) (string, error) {
	v, err := a.value(p)
	return joined(v), err
}

// query adds an argument to a query in the styles of OpenAPI.
func (a arguments) query(q url.Values, p param) error {
	v, err := a.value(p)
	if err != nil {
		return err
	}
	if p.json && v != nil {
		q.Add(p.name, string(a[p.argument]))
		return nil
	}
	switch v := v.(type) {
	case nil:
	case []any:
		if !p.explode {
			q.Add(p.name, joined(v))
			break
		}
		for _, item := range v {
			q.Add(p.name, joined(item))
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			name := key
			if p.deep {
				name = p.name + "[" + key + "]"
			}
			q.Add(name, joined(v[key]))
		}
	default:
		q.Add(p.name, joined(v))
	}
	return nil
}

// header adds an argument as a header, if it is there.
func (a arguments) header(h http.Header, p param) error {
	v, err := a.value(p)
	if err == nil && v != nil {
		h.Set(p.name, joined(v))
	}
	return err
}

func joined(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = joined(item)
		}
		return strings.Join(parts, ",")
	case map[string]any:
		text, _ := json.Marshal(v)
		return string(text)
	default:
		return fmt.Sprint(v)
	}
}
