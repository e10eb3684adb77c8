package httptool

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/netguard"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/tool/secret"
)

// Config describes one endpoint as a tool.
type Config struct {
	Comment string `json:"$comment,omitempty"`
	Name    string `json:"name"`
	// Description tells the model what the tool is for.
	Description string `json:"description,omitempty"`
	// Method defaults to GET.
	Method string `json:"method,omitempty"`
	// URL is a template: {param} in the path or the query takes an argument,
	// ${NAME} an environment variable.
	URL string `json:"url"`
	// Headers are sent with every call; ${NAME} takes an environment variable.
	Headers map[string]string `json:"headers,omitempty"`
	// Parameters is the JSON Schema of the arguments.
	Parameters json.RawMessage `json:"parameters,omitempty"`
	// In says where an argument goes. Arguments that the URL does not name
	// default to the query for GET, HEAD and DELETE, else to a JSON body.
	In map[string]Place `json:"in,omitempty"`
	// XML says how models write a call that call tools in their text.
	XML *llm.XMLForm `json:"xml,omitempty"`
	// AllowPrivate permits addresses that are not on the public internet.
	AllowPrivate bool `json:"allowPrivate,omitempty"`
	// The effect defaults to what the method promises: pure for GET and HEAD,
	// idempotent for PUT and DELETE, else once.
	tool.Settings
}

// Place is a part of a request that an argument goes to.
type Place string

// The places of arguments.
const (
	InPath   Place = "path"
	InQuery  Place = "query"
	InHeader Place = "header"
	InBody   Place = "body"
)

// Options for making tools.
type Options struct {
	// Env looks up the variables of ${NAME}. Defaults to os.LookupEnv.
	Env secret.Env
	// Dir is where the relative names of OpenAPI files start. Defaults to the
	// working directory.
	Dir string
}

func (o Options) withDefaults() Options {
	if o.Env == nil {
		o.Env = os.LookupEnv
	}
	return o
}

// New makes a tool of one endpoint. A variable that is not set is no error
// here: the tool exists, says which one it needs and is not offered to models.
func New(c Config, opts Options) (*tool.Tool, error) {
	opts = opts.withDefaults()
	if strings.TrimSpace(c.Name) == "" {
		return nil, nestor.Errorf(nestor.CodeInvalid, "name is missing")
	}
	if err := c.Settings.Check(); err != nil {
		return nil, err
	}
	method, err := parseMethod(c.Method)
	if err != nil {
		return nil, err
	}
	address, err := parseTemplate(c.URL)
	if err != nil {
		return nil, err
	}
	parameters, err := closeSchema(c.Parameters)
	if err != nil {
		return nil, err
	}
	params, err := placeParams(c, method, address, parameters)
	if err != nil {
		return nil, err
	}
	expander := &secret.Expander{Env: opts.Env}
	e := &endpoint{
		method:  method,
		url:     address.expand(expander),
		params:  params,
		headers: expandAll(expander, c.Headers),
		clients: newClients(c.AllowPrivate),
		missing: expander.Err(),
		mask:    expander.Mask(),
	}
	return e.tool(tool.Spec{Name: c.Name, Description: c.Description, Parameters: parameters, XML: c.XML}, c.Settings)
}

// clients are what calls are made with: once is for those whose every run counts,
// which must not be sent twice.
type clients struct{ usual, once *http.Client }

func newClients(allowPrivate bool) clients {
	options := netguard.Options{
		AllowPrivate: allowPrivate,
		Timeout:      -1, // every call brings its own deadline
		Redirects:    netguard.SameHost,
		Permit:       `set "allowPrivate": true for this tool`,
	}
	usual := netguard.Client(options)
	options.Single = true
	return clients{usual, netguard.Client(options)}
}

func parseMethod(method string) (string, error) {
	known := []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
	switch upper := strings.ToUpper(method); {
	case upper == "":
		return http.MethodGet, nil
	case slices.Contains(known, upper):
		return upper, nil
	default:
		return "", nestor.Errorf(nestor.CodeInvalid, "method %q is not one of %s", method, strings.Join(known, ", "))
	}
}

// effectOf is what HTTP promises about a method.
func effectOf(method string) tool.Effect {
	switch method {
	case http.MethodGet, http.MethodHead:
		return tool.Pure
	case http.MethodPut, http.MethodDelete:
		return tool.Idempotent
	default:
		return tool.Once
	}
}

func expandAll(e *secret.Expander, templates map[string]string) map[string]string {
	out := make(map[string]string, len(templates))
	for name, template := range templates {
		out[name] = e.Expand(template)
	}
	return out
}

// closeSchema rejects arguments that the schema does not name, unless it says
// otherwise itself: they would have nowhere to go.
func closeSchema(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 {
		raw = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(raw, &top); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "parameters are not a JSON Schema object: %w", err)
	}
	if _, ok := top["additionalProperties"]; ok {
		return raw, nil
	}
	top["additionalProperties"] = json.RawMessage("false")
	return json.Marshal(top)
}

// placeParams decides for every parameter where it goes.
func placeParams(c Config, method string, address template, parameters json.RawMessage) ([]param, error) {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if err := json.Unmarshal(parameters, &schema); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "parameters are not a JSON Schema object: %w", err)
	}
	for _, name := range address.names() {
		if _, ok := schema.Properties[name]; !ok {
			return nil, nestor.Errorf(nestor.CodeInvalid, "url has {%s}, which is not in parameters", name)
		}
		if !slices.Contains(schema.Required, name) {
			return nil, nestor.Errorf(nestor.CodeInvalid, "url has {%s}, so parameters must list it as required", name)
		}
	}
	for name, place := range c.In {
		if _, ok := schema.Properties[name]; !ok {
			return nil, nestor.Errorf(nestor.CodeInvalid, "in names %q, which is not in parameters", name)
		}
		if inURL := slices.Contains(address.names(), name); inURL != (place == InPath) {
			return nil, nestor.Errorf(nestor.CodeInvalid, "in says %q for %q: an argument goes to the path if and only if url has {%s}", place, name, name)
		}
	}
	var params []param
	for name := range schema.Properties {
		place, given := c.In[name]
		switch {
		case slices.Contains(address.names(), name):
			continue // the template takes it
		case !given && (method == http.MethodGet || method == http.MethodHead || method == http.MethodDelete):
			place = InQuery
		case !given:
			place = InBody
		case place != InQuery && place != InHeader && place != InBody:
			return nil, nestor.Errorf(nestor.CodeInvalid, "in says %q for %q, which is not path, query, header or body", place, name)
		}
		params = append(params, param{argument: name, name: name, in: place, explode: true})
	}
	slices.SortFunc(params, func(a, b param) int { return strings.Compare(a.name, b.name) })
	return params, nil
}
