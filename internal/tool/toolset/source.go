package toolset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
)

// source is the text of a configuration file.
type source struct {
	file string
	data []byte
}

// place says where an entry stands, for people: file:line:column: entry.
type place string

// entry is one tool source, override or role, still undecoded.
type entry struct {
	section string
	name    string // of an entry in a named section
	label   string // what people call it: http[0] "weather"
	at      place
	offset  int64
	raw     json.RawMessage
}

var sections = []string{"http", "openapi", "mcp", "mcpServers", "overrides", "roles"}

// named sections are objects whose members are the entries; others are lists.
var namedSections = []string{"mcpServers", "roles"}

// entries splits the file, in order.
func (s *source) entries() ([]entry, error) {
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(s.data, &whole); err != nil {
		return nil, s.errorAt(offsetOf(err), "", describe(err))
	}
	var out []entry
	dec := json.NewDecoder(bytes.NewReader(s.data))
	if _, err := dec.Token(); err != nil { // the opening brace
		return nil, err
	}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		section, keyEnd := token.(string), dec.InputOffset()
		if section == "$comment" {
			if err := dec.Decode(new(any)); err != nil {
				return nil, err
			}
			continue
		}
		if !slices.Contains(sections, section) {
			return nil, s.errorAt(keyEnd-int64(len(section))-2, "", fmt.Sprintf("there is no section %q; the sections are %s", section, strings.Join(sections, ", ")))
		}
		inside, err := s.section(dec, section)
		if err != nil {
			return nil, err
		}
		out = append(out, inside...)
	}
	return out, nil
}

// section reads the entries of one section.
func (s *source) section(dec *json.Decoder, section string) ([]entry, error) {
	open, err := dec.Token()
	if err != nil {
		return nil, err
	}
	want, isNamed := json.Delim('['), slices.Contains(namedSections, section)
	if isNamed {
		want = '{'
	}
	if open != want {
		return nil, s.errorAt(dec.InputOffset()-1, "", fmt.Sprintf("%s must begin with %s", section, want))
	}
	var out []entry
	for i := 0; dec.More(); i++ {
		e := entry{section: section, label: fmt.Sprintf("%s[%d]", section, i)}
		if isNamed {
			key, err := dec.Token()
			if err != nil {
				return nil, err
			}
			e.name = key.(string)
			e.label = section + "." + e.name
		}
		if err := dec.Decode(&e.raw); err != nil {
			return nil, err
		}
		if name := named(e.raw); name != "" && !isNamed {
			e.label += fmt.Sprintf(" %q", name)
		}
		e.offset = dec.InputOffset() - int64(len(e.raw))
		e.at = s.place(e.offset, e.label)
		out = append(out, e)
	}
	_, err = dec.Token() // the closing bracket
	return out, err
}

// strict decodes an entry and rejects fields that it does not know.
func (s *source) strict(e entry, into any) error {
	dec := json.NewDecoder(bytes.NewReader(e.raw))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if err == nil {
		return nil
	}
	if field, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return s.errorAt(e.offset+int64(max(0, bytes.Index(e.raw, []byte(field)))), e.label, "there is no field "+field)
	}
	return s.errorAt(e.offset+offsetOf(err), e.label, describe(err))
}

// place names the line and column of an offset.
func (s *source) place(offset int64, label string) place {
	before := s.data[:min(max(0, int(offset)), len(s.data))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n')
	where := fmt.Sprintf("%s:%d:%d", s.file, line, column)
	if label != "" {
		where += ": " + label
	}
	return place(where)
}

func (s *source) errorAt(offset int64, label, reason string) error {
	return nestor.Errorf(nestor.CodeInvalid, "%s: %s", s.place(offset, label), reason)
}

// offsetOf is where in its input an error of encoding/json arose.
func offsetOf(err error) int64 {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return syntax.Offset - 1
	case errors.As(err, &kind):
		return max(0, kind.Offset-1)
	}
	return 0
}

func describe(err error) string {
	if text, _, ok := nestor.Mismatch(err, nil, "this"); ok {
		return text
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// problems collects what is wrong with a file.
type problems struct{ list []string }

func (p *problems) add(at place, reason string) { p.list = append(p.list, string(at)+": "+reason) }

func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	return nestor.Errorf(nestor.CodeInvalid, "%s", strings.Join(p.list, "\n"))
}
