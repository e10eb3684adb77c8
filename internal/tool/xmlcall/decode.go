package xmlcall

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// Call is one complete call as the model wrote it.
type Call struct {
	// Name of the tool. It may be one that does not exist, or "invoke" if the
	// model named none; Err is set then.
	Name string
	// Args is a JSON object with the parameters in the order they were written.
	// With Err it holds what could be read, unconverted values as strings; nil
	// if the call could not be taken apart at all.
	Args json.RawMessage
	// Err says why the call cannot be made, in words for the model.
	Err error
	// Raw is the call's text. Empty if it was larger than allowed.
	Raw string
}

// value is what a call says about one parameter, still escaped.
type value struct {
	param string
	text  string
	// exact values are attributes: whitespace counts.
	exact bool
	// raw values are not escaped.
	raw bool
}

// decode takes a complete element apart.
func (g *grammar) decode(t tag, raw string) *Call {
	if t.tool == nil {
		return g.decodeInvoke(raw)
	}
	call := &Call{Name: t.tool.Name, Raw: raw}
	attrs, inner, err := takeApart(raw, t.name)
	if err != nil {
		call.Err = err
		return call
	}
	var values []value
	for _, a := range attrs {
		v := value{param: a.name, text: a.text, exact: true}
		if p := t.tool.at(llm.XMLAttribute, a.name); p != nil {
			v.param = p.name
		}
		values = append(values, v)
	}
	children, err := t.tool.decodeContent(inner)
	if err != nil {
		call.Err = err
		return call
	}
	call.Args, call.Err = t.tool.arguments(append(values, children...))
	return call
}

// decodeContent reads the child elements and the text of a tool's element.
// Without a parameter for the text, every child element is a parameter.
func (spec *toolSpec) decodeContent(inner string) ([]value, error) {
	if spec.whole() {
		if strings.Trim(inner, whitespace) == "" {
			return nil, nil
		}
		return []value{{param: spec.content.name, text: inner, raw: true}}, nil
	}
	if v, ok := spec.onlyElement(inner); ok {
		return []value{v}, nil
	}
	var values []value
	var text strings.Builder
	for inner != "" {
		open := strings.IndexByte(inner, '<')
		if open < 0 {
			break
		}
		name := tagName(inner[open:])
		p := spec.at(llm.XMLElement, name)
		if name == "" || p == nil && spec.content != nil {
			text.WriteString(inner[:open+1])
			inner = inner[open+1:]
			continue
		}
		text.WriteString(inner[:open])
		child, rest, err := cutElement(inner[open:], name)
		if err != nil {
			return nil, err
		}
		if p != nil {
			name = p.name
		}
		values = append(values, value{param: name, text: child})
		inner = rest
	}
	text.WriteString(inner)
	if s := text.String(); strings.Trim(s, whitespace) != "" {
		if spec.content == nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "<%s> takes no text of its own", spec.tag)
		}
		values = append(values, value{param: spec.content.name, text: s})
	}
	return values, nil
}

// whole reports whether all between the tags is one parameter.
func (spec *toolSpec) whole() bool {
	return spec.content != nil && spec.content.place.Kind == llm.XMLRoot
}

// onlyElement reads the value of a tool's only parameter, which is its text, from an
// element of the parameter's name: models that have seen other tools write it so.
func (spec *toolSpec) onlyElement(inner string) (value, bool) {
	if spec.content == nil || len(spec.params) != 1 {
		return value{}, false
	}
	name := asName(spec.content.name)
	inner = strings.Trim(inner, whitespace)
	if !strings.HasPrefix(inner, "<") || tagName(inner) != name {
		return value{}, false
	}
	child, rest, err := cutElement(inner, name)
	return value{param: spec.content.name, text: child}, err == nil && rest == ""
}

// decodeInvoke reads one <invoke>, which the block's opening may precede.
func (g *grammar) decodeInvoke(raw string) *Call {
	call := &Call{Name: invokeTag, Raw: raw}
	attrs, inner, err := takeApart(raw[strings.Index(raw, "<"+invokeTag):], invokeTag)
	if err != nil {
		call.Err = err
		return call
	}
	if len(attrs) != 1 || attrs[0].name != "name" || attrs[0].text == "" {
		call.Err = nestor.Errorf(nestor.CodeInvalid, `<%s> needs exactly one attribute, name="…"`, invokeTag)
		return call
	}
	call.Name = unescape(attrs[0].text)
	spec := g.byName[call.Name]
	if spec == nil {
		call.Err = nestor.Errorf(nestor.CodeNotFound, "there is no tool named %q", call.Name)
		spec = &toolSpec{schema: &jsonschema.Schema{}}
	}
	values, err := decodeParameters(inner)
	if err != nil {
		call.Err = err
		return call
	}
	args, err := spec.arguments(values)
	call.Args = args
	if call.Err == nil {
		call.Err = err
	}
	return call
}

func decodeParameters(inner string) ([]value, error) {
	var values []value
	for {
		inner = strings.TrimLeft(inner, whitespace)
		if inner == "" {
			return values, nil
		}
		if tagName(inner) != paramTag {
			return nil, nestor.Errorf(nestor.CodeInvalid, `<%s> may only contain <%s name="…"> elements`, invokeTag, paramTag)
		}
		n, closed := (&balance{name: paramTag}).scan(inner)
		if !closed {
			return nil, unclosed(paramTag)
		}
		attrs, text, err := takeApart(inner[:n], paramTag)
		if err != nil {
			return nil, err
		}
		if len(attrs) != 1 || attrs[0].name != "name" {
			return nil, nestor.Errorf(nestor.CodeInvalid, `<%s> needs exactly one attribute, name="…"`, paramTag)
		}
		values = append(values, value{param: unescape(attrs[0].text), text: text})
		inner = inner[n:]
	}
}

// cutElement splits s, which starts with an opening tag of that name, into the
// element's content and what follows it.
func cutElement(s, name string) (content, rest string, err error) {
	n, closed := (&balance{name: name}).scan(s)
	if !closed {
		return "", "", unclosed(name)
	}
	_, content, err = takeApart(s[:n], name)
	return content, s[n:], err
}

func unclosed(name string) error {
	return nestor.Errorf(nestor.CodeInvalid, "<%s> is never closed", name)
}

type attribute struct{ name, text string }

// takeApart splits a complete element into its attributes and what is between
// its tags.
func takeApart(raw, name string) (attrs []attribute, inner string, err error) {
	s := raw[1+len(name):]
	for {
		s = strings.TrimLeft(s, whitespace)
		if rest, ok := strings.CutPrefix(s, ">"); ok {
			return attrs, rest[:strings.LastIndex(rest, "</")], nil
		}
		if s == "/>" {
			return attrs, "", nil
		}
		var a attribute
		if a, s, err = takeAttribute(s); err != nil {
			return nil, "", nestor.Errorf(nestor.CodeInvalid, "<%s>: %w", name, err)
		}
		attrs = append(attrs, a)
	}
}

func takeAttribute(s string) (a attribute, rest string, err error) {
	end := strings.IndexAny(s, "=/>"+whitespace)
	if end <= 0 {
		return a, "", fmt.Errorf("malformed attributes")
	}
	a.name = s[:end]
	s, ok := strings.CutPrefix(strings.TrimLeft(s[end:], whitespace), "=")
	s = strings.TrimLeft(s, whitespace)
	if !ok || s == "" || s[0] != '"' && s[0] != '\'' {
		return a, "", fmt.Errorf("attribute %s needs a value in quotes", a.name)
	}
	a.text, rest, ok = strings.Cut(s[1:], s[:1])
	if !ok {
		return a, "", fmt.Errorf("attribute %s has no closing quote", a.name)
	}
	return a, rest, nil
}

// tagName returns the name of the opening tag that s starts with, or "".
func tagName(s string) string {
	end := 1
	for end < len(s) && isNameByte(s[end]) {
		end++
	}
	if s[0] != '<' || end == len(s) || !endsName(s[end]) {
		return ""
	}
	return s[1:end]
}
