package xmlcall

const defaultMaxCallBytes = 1 << 20

// Options of [Wrap] and [NewParser].
type Options struct {
	// Mappings says, by tool name, how a tool is written as an element.
	// Defaults to the zero [Mapping] for every tool that is not listed.
	Mappings map[string]Mapping
	// MaxCalls ends a reply after that many calls: what the model says after
	// the last complete one is dropped. Defaults to no limit.
	MaxCalls int
	// MaxCallBytes bounds one call. A larger one is text, and an error for the
	// model. Defaults to 1 MiB.
	MaxCallBytes int
	// NewPrefix is asked once per reply, by Wrap, for the prefix of its call
	// ids, which are PREFIX_0, PREFIX_1 and so on. It must return a new value
	// each time, or one derived from what makes the reply unique. Defaults to
	// random prefixes.
	NewPrefix func() string
}

// Mapping says how a tool is written as an element. The zero value is useful.
type Mapping struct {
	// Tag is the element's name. Defaults to the tool's name.
	Tag string
	// Places says, by parameter name, where its value is written. A parameter
	// that is not listed is the element's text if it is the tool's only one and
	// a string, otherwise an attribute if it is a number, a boolean or an enum,
	// otherwise a child element. An attribute or child element that is in no
	// place counts as the parameter of its own name.
	Places map[string]Place
}

// Place is where in an element a parameter's value is written.
type Place struct {
	Kind Kind
	// Name of the attribute or child element. Defaults to the parameter's name.
	Name string
}

// Kind of a [Place].
type Kind string

// The places a value may be written in.
const (
	Attribute Kind = "attribute"
	Element   Kind = "element"
	// Content is the element's text, less the child elements in a place of
	// their own. At most one parameter of a tool can be there.
	Content Kind = "content"
)
