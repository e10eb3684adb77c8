package nodes

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/engine"
	"github.com/nestorhq/nestor/internal/usersecret"
)

// secrets are the values of those that the parameters of a request name. They are filled
// in where the request is sent, and nowhere before. What comes to an input is data: a
// name of a secret in it is not filled in.
type secrets map[string]string

// secretsOf are the names of secrets in the headers, the url and the body that the
// parameters of a node have.
func secretsOf(parameters map[string]any) (names []string) {
	headers, _ := parameters["headers"].(map[string]any)
	for _, value := range headers {
		said, _ := value.(string)
		names = append(names, usersecret.Names(said)...)
	}
	names = append(names, usersecret.Names(text(parameters, "url"))...)
	names = append(names, secretsOfBody(parameters)...)
	slices.Sort(names)
	return slices.Compact(names)
}

func secretsOfBody(parameters map[string]any) []string {
	body, err := json.Marshal(parameters["body"])
	if err != nil {
		return nil // it came as JSON
	}
	return usersecret.Names(string(body))
}

// reveal opens the secrets of a request whose address and body no input decides.
func reveal(ctx context.Context, c *engine.Call) (secrets, error) {
	names := secretsOf(c.Node.Parameters)
	switch {
	case len(names) > 0 && c.Connected("url"):
		return nil, nestor.Errorf(nestor.CodeForbidden, "the request has a secret, and what comes to the input url must not decide who gets it")
	case len(secretsOfBody(c.Node.Parameters)) > 0 && c.Connected("body"):
		return nil, nestor.Errorf(nestor.CodeForbidden, "the parameter body has a secret, and something else comes to the input body")
	}
	return c.Reveal(ctx, names)
}

// url fills in secrets in the query.
func (s secrets) url(at string) string {
	before, query, found := strings.Cut(at, "?")
	if !found || len(s) == 0 {
		return at
	}
	return before + "?" + usersecret.Fill(query, s.written(url.QueryEscape))
}

// body fills in secrets. In JSON, and most bodies are, they are written as JSON writes
// them.
func (s secrets) body(text string) string {
	switch {
	case len(s) == 0:
		return text
	case json.Valid([]byte(text)):
		return usersecret.Fill(text, s.written(func(value string) string {
			quoted, _ := json.Marshal(value) // a text always can be
			return string(quoted[1 : len(quoted)-1])
		}))
	}
	return usersecret.Fill(text, s)
}

// written are the values in another spelling.
func (s secrets) written(as func(string) string) map[string]string {
	all := make(map[string]string, len(s))
	for name, value := range s {
		all[name] = as(value)
	}
	return all
}
