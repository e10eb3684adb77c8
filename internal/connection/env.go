package connection

import (
	"maps"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// provider is what the environment can say about an access format, in the
// variables of the provider's own SDK.
type provider struct {
	format string
	// keyVariables hold the key; the first that is set counts.
	keyVariables []string
	// bearerVariable holds a token for a gateway, in place of a key.
	bearerVariable string
	baseVariable   string
	// headerVariables hold the value of one header each, linesVariable whole
	// lines of them.
	headerVariables map[string]string
	linesVariable   string
	// model is the model that is called when NESTOR_MODEL names none.
	model string
}

var providers = []provider{
	{
		format: OpenAI, keyVariables: []string{"OPENAI_API_KEY"}, baseVariable: openAIBaseURL, model: "gpt-6.1-terra",
		headerVariables: map[string]string{"OPENAI_ORG_ID": "OpenAI-Organization", "OPENAI_PROJECT_ID": "OpenAI-Project"},
		linesVariable:   "OPENAI_CUSTOM_HEADERS",
	},
	{
		format: Anthropic, keyVariables: []string{"ANTHROPIC_API_KEY"}, bearerVariable: "ANTHROPIC_AUTH_TOKEN",
		baseVariable: "ANTHROPIC_BASE_URL", linesVariable: "ANTHROPIC_CUSTOM_HEADERS", model: "claude-sonnet-5-5",
	},
	{
		format: Gemini, keyVariables: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, baseVariable: "GOOGLE_GEMINI_BASE_URL",
		model: "gemini-3.8-flash",
	},
	{format: Demo, model: Demo},
}

const (
	modelVariable     = "NESTOR_MODEL"
	embeddingVariable = "NESTOR_EMBEDDING_MODEL"
	openAIBaseURL     = "OPENAI_BASE_URL"
	modelExample      = modelVariable + "=openai:gpt-6.1-terra"
	serverName        = "The server's model"
	demoName          = "Demo model"
	modelInTwoWords   = modelVariable + " is PROVIDER:MODEL, such as openai:gpt-6.1-terra; the providers are openai, anthropic, gemini and demo"
)

// FromEnv reads the default connection and its secrets from the environment:
// NESTOR_MODEL and the variables of the providers' own SDKs. Without
// NESTOR_MODEL the one provider whose key is set is called, and without any key
// the demo model. Errors name the variable to set and never a value.
func FromEnv(env func(string) string) (Connection, Credentials, error) {
	p, model, err := choose(env)
	if err != nil {
		return Connection{}, Credentials{}, err
	}
	c := Connection{
		Meta: nestor.Meta{ID: Default}, Name: serverName, Description: "The environment's connection",
		AccessFormat: p.format, ModelID: model, EmbeddingModel: env(embeddingVariable), ReadOnly: true,
	}
	if p.format == Demo {
		c.Name = demoName
	}
	secret, err := p.secrets(env)
	if err != nil {
		return Connection{}, Credentials{}, err
	}
	c.HasSecret, c.HeaderNames = secret.Key != "" || llm.Authorizes(secret.Headers), slices.Sorted(maps.Keys(secret.Headers))
	if p.baseVariable != "" {
		c.BaseURL = env(p.baseVariable)
		if checkBaseURL(c.BaseURL) != nil {
			return Connection{}, Credentials{}, nestor.Errorf(nestor.CodeInvalid,
				"%s is an address such as http://localhost:11434/v1, without a password and a query", p.baseVariable)
		}
	}
	if !c.HasSecret && p.format != Demo && (c.BaseURL == "" || p.format == Gemini) {
		return Connection{}, Credentials{}, nestor.Errorf(nestor.CodeInvalid, "%s chooses %s: set %s, too", modelVariable, p.format, p.keyVariables[0])
	}
	return c, secret, c.check()
}

// secrets reads the key and the headers.
func (p provider) secrets(env func(string) string) (Credentials, error) {
	s := Credentials{Headers: map[string]string{}}
	if len(p.keyVariables) > 0 {
		s.Variable = p.keyVariables[0]
	}
	for _, variable := range p.keyVariables {
		if s.Key = strings.TrimSpace(env(variable)); s.Key != "" {
			s.Variable = variable
			break
		}
	}
	bearer := ""
	if s.Key == "" && p.bearerVariable != "" {
		if bearer = strings.TrimSpace(env(p.bearerVariable)); bearer != "" {
			s.Variable = p.bearerVariable
			s.Headers["Authorization"] = "Bearer " + bearer
		}
	}
	if checkSecret(s.Key+bearer) != nil {
		return Credentials{}, nestor.Errorf(nestor.CodeInvalid, "%s holds a character that no key has", s.Variable)
	}
	for variable, header := range p.headerVariables {
		if value := strings.TrimSpace(env(variable)); value != "" {
			s.Headers[header] = value
			if checkHeaders(map[string]string{header: value}) != nil {
				return Credentials{}, nestor.Errorf(nestor.CodeInvalid, "%s holds a character that no header has", variable)
			}
		}
	}
	if p.linesVariable == "" {
		return s, nil
	}
	for line := range strings.Lines(env(p.linesVariable)) {
		name, value, ok := strings.Cut(line, ":")
		if ok {
			s.Headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	if checkHeaders(s.Headers) != nil {
		return Credentials{}, nestor.Errorf(nestor.CodeInvalid, "%s holds a line that is no header to send", p.linesVariable)
	}
	return s, nil
}

// set is the variable with the credential of the provider, "" if none is set.
func (p provider) set(env func(string) string) string {
	for _, variable := range p.keyVariables {
		if env(variable) != "" {
			return variable
		}
	}
	if p.bearerVariable != "" && env(p.bearerVariable) != "" {
		return p.bearerVariable
	}
	return ""
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

// guess chooses by the keys that are set. If several providers could be paid,
// it does not choose.
func guess(env func(string) string) (provider, string, error) {
	var set []provider
	var variables []string
	for _, p := range providers {
		if variable := p.set(env); variable != "" {
			set, variables = append(set, p), append(variables, variable)
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
