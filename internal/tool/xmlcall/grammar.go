package xmlcall

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

const (
	blockTag   = "function_calls"
	blockOpen  = "<" + blockTag + ">"
	blockClose = "</" + blockTag + ">"
	invokeTag  = "invoke"
	paramTag   = "parameter"
)

// grammar is what counts as a call: the tools, by name and by tag.
type grammar struct {
	tools  []*toolSpec
	byName map[string]*toolSpec
	byTag  map[string]*toolSpec
	// longest is the length of the longest name that can open a call.
	longest int
}

// toolSpec is a tool with its schema read and its parameters placed.
type toolSpec struct {
	llm.Tool
	tag    string
	schema *jsonschema.Schema
	params []param
	// content is the parameter that the element's text is, or nil.
	content *param
}

// param is a parameter and where it is written.
type param struct {
	name     string
	place    Place
	schema   *jsonschema.Schema
	required bool
}

// tag is a recognised opening: of a tool's element, or of an invocation when
// tool is nil.
type tag struct {
	name string
	tool *toolSpec
}

func (t tag) toolName() string {
	if t.tool != nil {
		return t.tool.Name
	}
	return invokeTag
}

func newGrammar(tools []llm.Tool, mappings map[string]Mapping) (*grammar, error) {
	g := &grammar{
		byName:  make(map[string]*toolSpec, len(tools)),
		byTag:   make(map[string]*toolSpec, len(tools)),
		longest: len(blockTag),
	}
	for _, t := range tools {
		spec, err := newToolSpec(t, mappings[t.Name])
		if err != nil {
			return nil, err
		}
		if other := g.byTag[spec.tag]; other != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "tools %s and %s have the same tag <%s>", other.Name, t.Name, spec.tag)
		}
		g.tools = append(g.tools, spec)
		g.byName[t.Name] = spec
		g.byTag[spec.tag] = spec
		g.longest = max(g.longest, len(spec.tag))
	}
	return g, nil
}

func newToolSpec(t llm.Tool, m Mapping) (*toolSpec, error) {
	spec := &toolSpec{Tool: t, tag: m.Tag, schema: &jsonschema.Schema{}}
	if spec.tag == "" {
		spec.tag = t.Name
	}
	if !isName(spec.tag) || spec.tag == blockTag {
		return nil, nestor.Errorf(nestor.CodeInvalid, "tool %s: %q cannot be a tag", t.Name, spec.tag)
	}
	if len(t.Parameters) > 0 {
		if err := json.Unmarshal(t.Parameters, spec.schema); err != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "tool %s: parameters: %w", t.Name, err)
		}
	}
	if err := spec.place(m.Places); err != nil {
		return nil, err
	}
	return spec, nil
}

// place gives every parameter its place: the required ones first, in the
// schema's order, then the others by name.
func (spec *toolSpec) place(places map[string]Place) error {
	for name := range places {
		if spec.schema.Properties[name] == nil {
			return nestor.Errorf(nestor.CodeInvalid, "tool %s: the mapping names a parameter %q that the schema does not have", spec.Name, name)
		}
	}
	optional := make([]string, 0, len(spec.schema.Properties))
	for name := range spec.schema.Properties {
		if !slices.Contains(spec.schema.Required, name) {
			optional = append(optional, name)
		}
	}
	slices.Sort(optional)

	for i, name := range slices.Concat(spec.schema.Required, optional) {
		s := resolve(spec.schema, spec.schema.Properties[name])
		p := param{name: name, schema: s, required: i < len(spec.schema.Required), place: places[name]}
		if p.place.Kind == "" {
			p.place.Kind = defaultKind(s, len(spec.schema.Properties))
		}
		switch {
		case p.place.Kind == Content:
			p.place.Name = ""
		case p.place.Name == "":
			p.place.Name = asName(name)
		case !isName(p.place.Name):
			return nestor.Errorf(nestor.CodeInvalid, "tool %s: %q cannot name an attribute or element", spec.Name, p.place.Name)
		}
		if other := spec.at(p.place.Kind, p.place.Name); other != nil {
			return nestor.Errorf(nestor.CodeInvalid, "tool %s: parameters %q and %q are in the same place", spec.Name, other.name, name)
		}
		spec.params = append(spec.params, p)
	}
	for i := range spec.params {
		if spec.params[i].place.Kind == Content {
			spec.content = &spec.params[i]
		}
	}
	return nil
}

func defaultKind(s *jsonschema.Schema, params int) Kind {
	types := typesOf(s)
	switch {
	case len(s.Enum) > 0:
		return Attribute
	case slices.Equal(types, []string{"string"}):
		if params == 1 {
			return Content
		}
		return Element
	case len(types) == 0 || slices.ContainsFunc(types, func(t string) bool {
		return t == "string" || t == "array" || t == "object"
	}):
		return Element
	}
	return Attribute
}

// at returns the parameter in a place, or nil.
func (spec *toolSpec) at(kind Kind, name string) *param {
	for i := range spec.params {
		if p := &spec.params[i]; p.place == (Place{Kind: kind, Name: name}) {
			return p
		}
	}
	return nil
}

// named returns the parameter of a name, or nil.
func (spec *toolSpec) named(name string) *param {
	for i := range spec.params {
		if spec.params[i].name == name {
			return &spec.params[i]
		}
	}
	return nil
}

// verdict says what the parser found at one position.
type verdict int

const (
	literal      verdict = iota // text
	undecided                   // too little input to tell
	opensElement                // a call starts here
	closesBlock                 // </function_calls>
	opensCode                   // a fence or a long code span starts here
	closesCode                  // the closing fence
)

// match looks at the tag that s starts with and returns the size of what was
// recognised. On opensElement it sets t.
func (g *grammar) match(s string, inBlock bool, t *tag) (verdict, int) {
	if inBlock && strings.HasPrefix(s, blockClose) {
		return closesBlock, len(blockClose)
	}
	if inBlock && strings.HasPrefix(blockClose, s) {
		return undecided, 1
	}
	end := 1
	for end < len(s) && end <= g.longest && isNameByte(s[end]) {
		end++
	}
	switch {
	case len(g.tools) == 0:
		return literal, 1
	case end == len(s):
		return undecided, 1
	case !endsName(s[end]):
		return literal, 1
	}
	name := s[1:end]
	switch {
	case inBlock && name == invokeTag:
		*t = tag{name: invokeTag}
		return opensElement, 0
	case name == blockTag && !inBlock:
		v := matchBlock(s)
		if v == opensElement {
			*t = tag{name: invokeTag}
		}
		return v, 1
	}
	spec := g.byTag[name]
	if spec == nil {
		return literal, 1
	}
	*t = tag{name: spec.tag, tool: spec}
	return opensElement, 0
}

// matchBlock reports whether s opens a block of calls. A <function_calls> that
// no <invoke> follows is a mention, and text.
func matchBlock(s string) verdict {
	w, cut := window(s)
	rest, ok := strings.CutPrefix(w, blockOpen)
	if !ok {
		return literal
	}
	rest = strings.TrimLeft(rest, whitespace)
	const open = "<" + invokeTag
	switch {
	case len(rest) > len(open) && strings.HasPrefix(rest, open) && endsName(rest[len(open)]):
		return opensElement
	case cut || !strings.HasPrefix(open, rest):
		return literal
	}
	return undecided
}

// asName makes the name of an attribute or element from a parameter's name,
// which may hold any character.
func asName(param string) string {
	name := []byte(param)
	for i, c := range name {
		if !isNameByte(c) {
			name[i] = '_'
		}
	}
	return string(name)
}

func isName(s string) bool {
	for i := range len(s) {
		if !isNameByte(s[i]) {
			return false
		}
	}
	return s != ""
}
