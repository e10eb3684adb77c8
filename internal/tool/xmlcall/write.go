package xmlcall

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/nestorhq/nestor/internal/llm"
)

// write puts a call into the form the parser reads, so that a model finds its
// own earlier calls in the history as it is told to write them. Parsing the
// result gives the same arguments. Arguments that are no JSON object appear as
// they are.
func (g *grammar) write(name, arguments string) string {
	var b strings.Builder
	members, ok := readObject(arguments)
	spec := g.byName[name]
	switch {
	case !ok:
		if _, raw, ok := malformed(arguments); ok {
			return raw
		}
		fmt.Fprintf(&b, "<%s>%s</%s>", name, escapeText(arguments), name)
	case spec == nil:
		writeInvoke(&b, name, members)
	default:
		spec.write(&b, members)
	}
	return b.String()
}

// member is one property of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// readObject reads a JSON object in its own order.
func readObject(text string) (members []member, ok bool) {
	dec := json.NewDecoder(strings.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, false
		}
		m := member{name: name.(string)} // what is not a string is an error here
		if err := dec.Decode(&m.value); err != nil {
			return nil, false
		}
		members = append(members, m)
	}
	_, err := dec.Token()
	return members, err == nil && !dec.More()
}

// write puts each parameter into its place, and one without a place into an
// attribute.
func (spec *toolSpec) write(b *strings.Builder, members []member) {
	var content strings.Builder
	fmt.Fprintf(b, "<%s", spec.tag)
	for _, m := range members {
		place, schema := llm.XMLPlace{Kind: llm.XMLAttribute, Name: asName(m.name)}, &jsonschema.Schema{}
		if p := spec.named(m.name); p != nil {
			place, schema = p.place, p.schema
		}
		text := textOf(m.value, schema)
		switch {
		case place.Kind == llm.XMLElement:
			fmt.Fprintf(&content, "<%s>%s</%s>", place.Name, escapeText(text), place.Name)
		case place.Kind == llm.XMLText && text != "":
			content.WriteString(escapeText(text))
		case place.Kind == llm.XMLRoot && spec.standsAlone(text):
			content.WriteString(text)
		case place.Kind == llm.XMLText || place.Kind == llm.XMLRoot: // no text would mean no value
			place.Name = asName(m.name)
			fallthrough
		default:
			fmt.Fprintf(b, ` %s="%s"`, place.Name, escape(text))
		}
	}
	if content.Len() == 0 {
		b.WriteString("/>")
		return
	}
	fmt.Fprintf(b, ">%s</%s>", &content, spec.tag)
}

// standsAlone reports whether text can be written between the tags as it is.
func (spec *toolSpec) standsAlone(text string) bool {
	element := "<" + spec.tag + ">" + text + "</" + spec.tag + ">"
	n, closed := (&balance{name: spec.tag}).scan(element)
	return closed && n == len(element) && strings.Trim(text, whitespace) != "" && trimLayout(text) == text
}

func writeInvoke(b *strings.Builder, name string, members []member) {
	fmt.Fprintf(b, "%s\n<%s name=\"%s\">\n", blockOpen, invokeTag, escape(name))
	for _, m := range members {
		text := textOf(m.value, &jsonschema.Schema{})
		fmt.Fprintf(b, "<%s name=\"%s\">%s</%s>\n", paramTag, escape(m.name), escapeText(text), paramTag)
	}
	fmt.Fprintf(b, "</%s>\n%s", invokeTag, blockClose)
}

// textOf writes a JSON value as text that converts back to it.
func textOf(v json.RawMessage, s *jsonschema.Schema) string {
	var text string
	if json.Unmarshal(v, &text) != nil || bytes.Equal(v, []byte("null")) {
		return string(v)
	}
	if len(typesOf(s)) == 0 && json.Valid([]byte(strings.TrimSpace(text))) {
		return string(v) // where any type may be, this text would be read as JSON
	}
	return text
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

func escape(s string) string { return escaper.Replace(s) }

var (
	textEscaper  = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	spaceEscaper = strings.NewReplacer(" ", "&#32;", "\t", "&#9;", "\r", "&#13;", "\n", "&#10;")
)

// escapeText also protects whitespace at the ends, which would be layout.
func escapeText(s string) string {
	start := len(s) - len(strings.TrimLeft(s, whitespace))
	end := max(start, len(strings.TrimRight(s, whitespace)))
	return spaceEscaper.Replace(s[:start]) + textEscaper.Replace(s[start:end]) + spaceEscaper.Replace(s[end:])
}
