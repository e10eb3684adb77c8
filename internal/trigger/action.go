package trigger

import (
	"net/url"
	"strings"

	"github.com/nestorhq/nestor"
)

// Action is what a trigger does: exactly one of the two fields is set.
type Action struct {
	// Handler is the NAME of "POST /webhook/NAME", a built-in handler.
	Handler string
	// URL is the target of a webhook.
	URL *url.URL
}

// ParseAction reads the action of a trigger or a job. Its errors do not show
// the query of a URL, nor credentials in it.
func ParseAction(s string) (Action, error) {
	if s == "" {
		return Action{}, nestor.Errorf(nestor.CodeInvalid, "an action is needed: POST /webhook/NAME or a URL")
	}
	if name, ok := strings.CutPrefix(s, "POST /webhook/"); ok {
		if err := nestor.CheckID(name); err != nil {
			return Action{}, nestor.Errorf(nestor.CodeInvalid, "the name of the handler: %w", err)
		}
		return Action{Handler: name}, nil
	}
	target := strings.TrimPrefix(s, "POST ")
	u, err := url.Parse(target)
	switch {
	case err != nil || strings.ContainsAny(target, " \t"):
		return Action{}, nestor.Errorf(nestor.CodeInvalid, "it is neither POST /webhook/NAME nor an http or https URL")
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return Action{}, nestor.Errorf(nestor.CodeInvalid, "it is neither POST /webhook/NAME nor an http or https URL")
	case u.User != nil:
		return Action{}, nestor.Errorf(nestor.CodeInvalid, "a URL with a user or password would show them: use a header")
	case u.Fragment != "":
		return Action{}, nestor.Errorf(nestor.CodeInvalid, "the part of a URL after # is never sent: leave it out")
	}
	return Action{URL: u}, nil
}
