package llm

import (
	"fmt"
	"strings"

	"github.com/nestorhq/nestor"
)

// XMLForm says how a tool is written as an element, by a model that calls tools in
// its text. The zero value is useful.
type XMLForm struct {
	// Tag is the element's name. Defaults to the tool's name.
	Tag string `json:"tag,omitempty"`
	// Places says, by parameter name, where its value is written. A parameter
	// that is not listed is the element's text if it is the tool's only one and
	// a string, otherwise an attribute if it is a number, a boolean or an enum,
	// otherwise a child element. An attribute or child element that is in no
	// place counts as the parameter of its own name.
	Places map[string]XMLPlace `json:"places,omitempty"`
}

// XMLPlace is where in an element a parameter's value is written. Its text is the
// kind, and the name after a colon if there is one: attribute, element:file-name.
type XMLPlace struct {
	Kind XMLKind
	// Name of the attribute or child element. Defaults to the parameter's name.
	Name string
}

// XMLKind is a kind of [XMLPlace].
type XMLKind string

// The places a value may be written in.
const (
	XMLAttribute XMLKind = "attribute"
	XMLElement   XMLKind = "element"
	// XMLText is the element's text, less the child elements in a place of
	// their own. At most one parameter of a tool can be there.
	XMLText XMLKind = "text"
	// XMLRoot is all that stands between the element's tags, as it is written:
	// markup stays markup, and no entity is unescaped. The other parameters of
	// such a tool are attributes.
	XMLRoot XMLKind = "root"
)

// MarshalText writes the place as a configuration has it.
func (p XMLPlace) MarshalText() ([]byte, error) {
	if p.Name == "" {
		return []byte(p.Kind), nil
	}
	return fmt.Appendf(nil, "%s:%s", p.Kind, p.Name), nil
}

// UnmarshalText reads a place.
func (p *XMLPlace) UnmarshalText(text []byte) error {
	kind, name, named := strings.Cut(string(text), ":")
	*p = XMLPlace{Kind: XMLKind(kind), Name: name}
	switch {
	case p.Kind == XMLAttribute || p.Kind == XMLElement:
		return nil
	case (p.Kind == XMLText || p.Kind == XMLRoot) && !named:
		return nil
	}
	return nestor.Errorf(nestor.CodeInvalid, "%q is not attribute, attribute:NAME, element, element:NAME, text or root", text)
}
