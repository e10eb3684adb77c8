package connection

import (
	"strings"

	"github.com/nestorhq/nestor"
)

// provider is what the environment can say about an access format.
type provider struct {
	format      string
	keyVariable string
	// model is called when NESTOR_MODEL does not name one.
	model string
}

var providers = []provider{
	{OpenAI, "OPENAI_API_KEY", "gpt-6.1-terra"},
	{Anthropic, "ANTHROPIC_API_KEY", "claude-sonnet-5-5"},
	{Gemini, "GEMINI_API_KEY", "gemini-3.8-flash"},
	{Demo, "", Demo},
}

const (
	modelVariable   = "NESTOR_MODEL"
	openAIBaseURL   = "OPENAI_BASE_URL"
	modelExample    = modelVariable + "=openai:gpt-6.1-terra"
	modelInTwoWords = modelVariable + " is PROVIDER:MODEL, such as openai:gpt-6.1-terra; the providers are openai, anthropic, gemini and demo"
)

// FromEnv reads the default connection and its secret from the environment:
// NESTOR_MODEL, OPENAI_API_KEY, OPENAI_BASE_URL, ANTHROPIC_API_KEY and
// GEMINI_API_KEY. Without NESTOR_MODEL the one provider whose key is set is
// called, and without any key the demo model. Errors name the variable to set
// and never a value.
func FromEnv(env func(string) string) (Connection, string, error) {
	p, model, err := choose(env)
	if err != nil {
		return Connection{}, "", err
	}
	c := Connection{
		Meta: nestor.Meta{ID: Default}, Name: Default, Description: "The environment's connection",
		AccessFormat: p.format, ModelID: model, ReadOnly: true,
	}
	secret := ""
	if p.keyVariable != "" {
		secret = strings.TrimSpace(env(p.keyVariable))
	}
	c.HasSecret = secret != ""
	if p.format == OpenAI {
		c.BaseURL = env(openAIBaseURL)
		if checkBaseURL(c.BaseURL) != nil {
			return Connection{}, "", nestor.Errorf(nestor.CodeInvalid,
				"%s is an address such as http://localhost:11434/v1, without a password and a query", openAIBaseURL)
		}
	}
	switch {
	case secret == "" && p.format != Demo && c.BaseURL == "":
		return Connection{}, "", nestor.Errorf(nestor.CodeInvalid, "%s chooses %s: set %s, too", modelVariable, p.format, p.keyVariable)
	case checkSecret(secret) != nil:
		return Connection{}, "", nestor.Errorf(nestor.CodeInvalid, "%s holds a character that no key has", p.keyVariable)
	}
	return c, secret, c.check()
}

// choose finds the provider and the model.
func choose(env func(string) string) (provider, string, error) {
	named, model, _ := strings.Cut(env(modelVariable), ":")
	if named == "" && model == "" {
		return guess(env)
	}
	for _, p := range providers {
		if p.format != named {
			continue
		}
		if model == "" {
			model = p.model
			if p.format == OpenAI && env(openAIBaseURL) != "" {
				return p, "", nestor.Errorf(nestor.CodeInvalid,
					"%s is set: name the model of that server, too, as in %s=openai:MODEL", openAIBaseURL, modelVariable)
			}
		}
		return p, model, nil
	}
	return provider{}, "", nestor.Errorf(nestor.CodeInvalid, "%s", modelInTwoWords)
}

// guess chooses by the keys that are set. It does not choose whom to pay.
func guess(env func(string) string) (provider, string, error) {
	var set []provider
	var variables []string
	for _, p := range providers {
		if p.keyVariable != "" && env(p.keyVariable) != "" {
			set, variables = append(set, p), append(variables, p.keyVariable)
		}
	}
	switch {
	case env(openAIBaseURL) != "":
		return provider{}, "", nestor.Errorf(nestor.CodeInvalid,
			"%s is set: say which model to call, as in %s=openai:MODEL", openAIBaseURL, modelVariable)
	case len(set) == 0:
		return providers[len(providers)-1], Demo, nil
	case len(set) > 1:
		return provider{}, "", nestor.Errorf(nestor.CodeInvalid,
			"%s are set: say which model to call, as in %s", strings.Join(variables, " and "), modelExample)
	}
	return set[0], set[0].model, nil
}

// checkSecret refuses what cannot be sent in a header.
func checkSecret(secret string) error {
	if strings.ContainsFunc(secret, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return invalid("secret", "holds a character that no key has")
	}
	return nil
}
