package httptool

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/tool"
)

// document is an OpenAPI document as plain JSON, with references inside it.
type document struct {
	root     map[string]any
	location *url.URL // nil for a file
	// private: what is sent with the calls is for the host of the document.
	private bool
	nodes   int // schemas converted so far
}

func parseDocument(data []byte, location *url.URL) (*document, error) {
	d := &document{location: location}
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		var err error
		if data, err = fromYAML(data); err != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "the document is neither JSON nor YAML: %w", err)
		}
	}
	if err := json.Unmarshal(data, &d.root); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the document is not JSON: %w", err)
	}
	if _, err := tool.VisibleValue(d.root); err != nil {
		return nil, err
	}
	version, _ := d.root["openapi"].(string)
	if !strings.HasPrefix(version, "3.") {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the document is not OpenAPI 3: its openapi field is %q", version)
	}
	return d, nil
}

// object follows the reference that v may be. Anything but an object is empty.
func (d *document) object(v any) (map[string]any, error) {
	for range 32 { // more hops are a cycle
		m := asMap(v)
		ref, ok := m["$ref"].(string)
		if !ok {
			return m, nil
		}
		var err error
		if v, err = d.lookup(ref); err != nil {
			return nil, err
		}
	}
	return nil, nestor.Errorf(nestor.CodeInvalid, "references form a cycle")
}

// lookup finds what a reference such as #/components/schemas/Pet points to.
func (d *document) lookup(ref string) (any, error) {
	pointer, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil, nestor.Errorf(nestor.CodeInvalid, "reference %q leads out of the document", ref)
	}
	var v any = d.root
	for token := range strings.SplitSeq(pointer, "/") {
		if unescaped, err := url.PathUnescape(token); err == nil {
			token = unescaped
		}
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch at := v.(type) {
		case map[string]any:
			v, ok = at[token]
		case []any:
			i, err := strconv.Atoi(token)
			if ok = err == nil && i >= 0 && i < len(at); ok {
				v = at[i]
			}
		default:
			ok = false
		}
		if !ok {
			return nil, nestor.Errorf(nestor.CodeInvalid, "reference %q leads nowhere", ref)
		}
	}
	return v, nil
}

// server returns the base address from the innermost list of servers.
func (d *document) server(levels ...map[string]any) (string, error) {
	for _, level := range levels {
		servers, _ := level["servers"].([]any)
		if len(servers) == 0 {
			continue
		}
		server := asMap(servers[0])
		address := text(server, "url")
		for name, variable := range asMap(server["variables"]) {
			address = strings.ReplaceAll(address, "{"+name+"}", text(asMap(variable), "default"))
		}
		return d.absolute(address)
	}
	return d.absolute("/")
}

func (d *document) absolute(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", nestor.Errorf(nestor.CodeInvalid, "server url %q: %w", address, err)
	}
	if d.location != nil {
		u = d.location.ResolveReference(u)
		if d.private && !strings.EqualFold(u.Host, d.location.Host) {
			return "", nestor.Errorf(nestor.CodeInvalid,
				"the document of %s has calls sent to %s, and with them the headers and the query of this entry: give baseURL to say where they may go",
				d.location.Host, u.Host)
		}
		if d.private && d.location.Scheme == "https" && u.Scheme == "http" {
			return "", nestor.Errorf(nestor.CodeInvalid,
				"the document has calls sent without TLS, and with them the headers and the query of this entry: give baseURL to say where they may go")
		}
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return "", nestor.Errorf(nestor.CodeInvalid, "the document has no absolute server url; give baseURL")
	}
	return u.String(), nil
}

func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func text(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}
