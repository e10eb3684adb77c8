package xmlcall

import (
	"cmp"
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
	// content is the parameter that the element's text, or all between its tags, is,
	// or nil.
	content *param
}

// param is a parameter and where it is written.
type param struct {
	name     string
	place    llm.XMLPlace
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

// newGrammar reads the tools. A form that does not fit its tool does not count: what
// MCP servers offer may change under a configuration that was checked.
func newGrammar(tools []llm.Tool) (*grammar, error) {
	g := &grammar{
		byName:  make(map[string]*toolSpec, len(tools)),
		byTag:   make(map[string]*toolSpec, len(tools)),
		longest: len(blockTag),
	}
	for _, t := range tools {
		spec, err := newToolSpec(t, t.XML)
		if err != nil && t.XML != nil {
			spec, err = newToolSpec(t, nil)
		}
		if err != nil {
			return nil, err
		}
		g.tools = append(g.tools, spec)
		g.byName[t.Name] = spec
	}
	for _, spec := range g.tools {
		if g.byName[spec.tag] != nil || g.byTag[spec.tag] != nil {
			spec.tag = spec.Name // which no other tool has
		}
		g.byTag[spec.tag] = spec
		g.longest = max(g.longest, len(spec.tag))
	}
	return g, nil
}

// Check reports why the form of a tool cannot be used.
func Check(t llm.Tool) error {
	_, err := newToolSpec(t, t.XML)
	return err
}

func newToolSpec(t llm.Tool, form *llm.XMLForm) (*toolSpec, error) {
	if form == nil {
		form = &llm.XMLForm{}
	}
	spec := &toolSpec{Tool: t, tag: cmp.Or(form.Tag, t.Name), schema: &jsonschema.Schema{}}
	if !isName(spec.tag) || spec.tag == blockTag {
		return nil, nestor.Errorf(nestor.CodeInvalid, "tool %s: %q cannot be a tag", t.Name, spec.tag)
	}
	if len(t.Parameters) > 0 {
		if err := json.Unmarshal(t.Parameters, spec.schema); err != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "tool %s: parameters: %w", t.Name, err)
		}
	}
	if err := spec.place(form.Places); err != nil {
		return nil, err
	}
	return spec, nil
}

// place gives every parameter its place: the required ones first, in the
// schema's order, then the others by name.
func (spec *toolSpec) place(places map[string]llm.XMLPlace) error {
	for name := range places {
		if spec.schema.Properties[name] == nil {
			return nestor.Errorf(nestor.CodeInvalid, "tool %s: its XML form places a parameter %q that the schema does not have", spec.Name, name)
		}
	}
	optional := make([]string, 0, len(spec.schema.Properties))
	for name := range spec.schema.Properties {
		if !slices.Contains(spec.schema.Required, name) {
			optional = append(optional, name)
		}
	}
	slices.Sort(optional)

	whole := false // all between the tags is one parameter
	for _, p := range places {
		whole = whole || p.Kind == llm.XMLRoot
	}
	for i, name := range slices.Concat(spec.schema.Required, optional) {
		s := resolve(spec.schema, spec.schema.Properties[name])
		p := param{name: name, schema: s, required: i < len(spec.schema.Required), place: places[name]}
		if p.place.Kind == "" {
			p.place.Kind = defaultKind(s, len(spec.schema.Properties))
			if whole {
				p.place.Kind = llm.XMLAttribute
			}
		}
		switch {
		case p.place.Kind == llm.XMLText || p.place.Kind == llm.XMLRoot:
			p.place.Name = ""
		case p.place.Name == "":
			p.place.Name = asName(name)
		case !isName(p.place.Name):
			return nestor.Errorf(nestor.CodeInvalid, "tool %s: %q cannot name an attribute or element", spec.Name, p.place.Name)
		}
		if other := spec.at(p.place.Kind, p.place.Name); other != nil {
			return nestor.Errorf(nestor.CodeInvalid, "tool %s: parameters %q and %q are in the same place", spec.Name, other.name, name)
		}
		if whole && (p.place.Kind == llm.XMLElement || p.place.Kind == llm.XMLText) {
			return nestor.Errorf(nestor.CodeInvalid, "tool %s: beside a parameter that is the root, %q can only be an attribute", spec.Name, name)
		}
		spec.params = append(spec.params, p)
	}
	for i := range spec.params {
		if k := spec.params[i].place.Kind; k == llm.XMLText || k == llm.XMLRoot {
			spec.content = &spec.params[i]
		}
	}
	return nil
}

func defaultKind(s *jsonschema.Schema, params int) llm.XMLKind {
	types := typesOf(s)
	switch {
	case len(s.Enum) > 0:
		return llm.XMLAttribute
	case slices.Equal(types, []string{"string"}):
		if params == 1 {
			return llm.XMLText
		}
		return llm.XMLElement
	case len(types) == 0 || slices.ContainsFunc(types, func(t string) bool {
		return t == "string" || t == "array" || t == "object"
	}):
		return llm.XMLElement
	}
	return llm.XMLAttribute
}

// at returns the parameter in a place, or nil.
func (spec *toolSpec) at(kind llm.XMLKind, name string) *param {
	for i := range spec.params {
		if p := &spec.params[i]; p.place == (llm.XMLPlace{Kind: kind, Name: name}) {
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
