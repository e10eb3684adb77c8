// Package secret puts environment variables into configuration and keeps
// their values out of everything that leaves a tool.
//
// Configuration names a secret, "Bearer ${API_KEY}", and never holds it. An
// [Expander] fills the value in; the [Mask] it ends up with hides that value
// in outputs, errors and logs, also where a server echoes it back.
package secret

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
)

// Env looks up an environment variable, as os.LookupEnv does.
type Env func(name string) (string, bool)

var reference = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// Expander fills variables into any number of texts that belong together.
type Expander struct {
	// Env gives the values.
	Env Env

	values  map[string]string
	missing []string
}

// Expand replaces every ${NAME} in text by the variable's value, without the
// white space around it that secret files tend to end with. A variable that is
// missing or empty becomes an empty text and is reported by Err.
func (e *Expander) Expand(text string) string {
	return e.expand(text, func(value string) string { return value })
}

// ExpandURL is Expand for a URL. A value before the query may be a whole base
// address; values in the query are escaped.
func (e *Expander) ExpandURL(address string) string {
	path, query, found := strings.Cut(address, "?")
	if !found {
		return e.Expand(path)
	}
	return e.Expand(path) + "?" + e.ExpandQuery(query)
}

// ExpandQuery is Expand for a piece of a URL's query: values are escaped.
func (e *Expander) ExpandQuery(text string) string { return e.expand(text, url.QueryEscape) }

func (e *Expander) expand(text string, escape func(string) string) string {
	return reference.ReplaceAllStringFunc(text, func(ref string) string {
		name := ref[2 : len(ref)-1]
		value, _ := e.Env(name)
		value = strings.TrimSpace(value)
		if value == "" {
			if !slices.Contains(e.missing, name) {
				e.missing = append(e.missing, name)
			}
			return ""
		}
		if e.values == nil {
			e.values = map[string]string{}
		}
		e.values[name] = value
		return escape(value)
	})
}

// Err names the variables that were asked for and are not set.
func (e *Expander) Err() error {
	switch len(e.missing) {
	case 0:
		return nil
	case 1:
		return nestor.Errorf(nestor.CodeUnavailable, "set the environment variable %s", e.missing[0])
	default:
		return nestor.Errorf(nestor.CodeUnavailable, "set the environment variables %s", strings.Join(e.missing, ", "))
	}
}

// Mask hides the values filled in so far.
func (e *Expander) Mask() *Mask { return NewMask(e.values) }

// minHidden is the shortest value that is hidden: replacing every occurrence
// of a shorter one would garble ordinary text and protect nothing.
const minHidden = 4

// Mask hides secret values. A nil Mask hides nothing.
type Mask struct {
	replacer *strings.Replacer
	longest  int
}

// NewMask hides each value behind its name.
func NewMask(values map[string]string) *Mask {
	forms := map[string]string{} // spelling → name
	for name, value := range values {
		if len(value) < minHidden {
			continue
		}
		quoted, _ := json.Marshal(value)
		for _, form := range []string{
			value, url.QueryEscape(value), url.PathEscape(value), string(quoted[1 : len(quoted)-1]),
		} {
			forms[form] = "${" + name + "}"
		}
	}
	if len(forms) == 0 {
		return nil
	}
	// The longest first, so that a value which contains another is hidden whole.
	spellings := make([]string, 0, len(forms))
	for form := range forms {
		spellings = append(spellings, form)
	}
	slices.SortFunc(spellings, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	pairs := make([]string, 0, 2*len(spellings))
	for _, form := range spellings {
		pairs = append(pairs, form, forms[form])
	}
	return &Mask{replacer: strings.NewReplacer(pairs...), longest: len(spellings[0])}
}

// Hide replaces every secret in text by its ${NAME}, in plain, URL-escaped and
// JSON-escaped spelling.
func (m *Mask) Hide(text string) string {
	if m == nil {
		return text
	}
	return m.replacer.Replace(text)
}

// Finds reports whether a text has a secret in it.
func (m *Mask) Finds(text string) bool { return m.Hide(text) != text }

// HidePart is Hide for a text that was cut off at an arbitrary byte. It drops
// the last bytes, which may be the first half of a secret.
func (m *Mask) HidePart(text string) string {
	if m == nil {
		return text
	}
	text = m.Hide(text)
	return text[:max(0, len(text)-m.longest)]
}

// HideError returns err with its text masked. The code stays; the cause, whose
// text is not masked, goes.
func (m *Mask) HideError(err error) error {
	if err == nil {
		return nil
	}
	return nestor.Errorf(nestor.CodeOf(err), "%s", m.Hide(err.Error()))
}
