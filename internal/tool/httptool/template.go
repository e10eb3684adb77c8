package httptool

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/tool/secret"
)

// template is an address with places for arguments: literal, param, literal,
// param, …, literal.
type template struct {
	literals []string // always one more than params
	params   []param
}

var (
	placeholder = regexp.MustCompile(`\$?\{([^{}]*)\}`)
	// origin is a scheme and a host that no argument can change, so that a model
	// never chooses where a request, and with it a secret, goes.
	origin = regexp.MustCompile(`^https?://[^/?#{}]*(\$\{[^{}]*\}[^/?#{}]*)*([/?]|$)`)
)

func parseTemplate(text string) (template, error) {
	var t template
	if text == "" {
		return t, nestor.Errorf(nestor.CodeInvalid, "url is missing")
	}
	if !origin.MatchString(text) || strings.Contains(text, "#") {
		return t, nestor.Errorf(nestor.CodeInvalid, "url %q must start with http:// or https:// and a fixed host, and have no fragment", text)
	}
	start := 0
	for _, m := range placeholder.FindAllStringSubmatchIndex(text, -1) {
		if text[m[0]] == '$' {
			continue
		}
		name := text[m[2]:m[3]]
		if name == "" {
			return t, nestor.Errorf(nestor.CodeInvalid, "url %q has {} without a name", text)
		}
		in := InPath
		if strings.Contains(text[:m[0]], "?") {
			in = InQuery
		}
		t.literals = append(t.literals, text[start:m[0]])
		t.params = append(t.params, param{argument: name, name: name, in: in})
		start = m[1]
	}
	t.literals = append(t.literals, text[start:])
	return t, nil
}

func (t template) names() []string {
	names := make([]string, len(t.params))
	for i, p := range t.params {
		names[i] = p.argument
	}
	return names
}

// expand fills environment variables into the literal parts.
func (t template) expand(e *secret.Expander) template {
	out := template{params: t.params}
	inQuery := false
	for _, literal := range t.literals {
		if inQuery {
			out.literals = append(out.literals, e.ExpandQuery(literal))
		} else {
			out.literals = append(out.literals, e.ExpandURL(literal))
		}
		inQuery = inQuery || strings.Contains(literal, "?")
	}
	return out
}

// fill puts arguments in. A path argument is one segment and stays one: it
// cannot be empty, climb up or add segments.
func (t template) fill(args arguments) (string, error) {
	var b strings.Builder
	for i, p := range t.params {
		b.WriteString(t.literals[i])
		text, err := args.text(p)
		if err != nil {
			return "", err
		}
		if p.in == InQuery {
			b.WriteString(url.QueryEscape(text))
			continue
		}
		if text == "" || text == "." || text == ".." {
			return "", nestor.Errorf(nestor.CodeInvalid, "%q is not allowed for the parameter %s, which is part of a path", text, p.argument)
		}
		b.WriteString(url.PathEscape(text))
	}
	b.WriteString(t.literals[len(t.params)])
	return b.String(), nil
}
